import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { FileRules } from '../domain/file-rules.ts'
import type { Surroundings } from './call.ts'

/** How long the last look may take when the executor ends, in milliseconds. */
const lastMs = 5_000

/**
 * THREAT-31: takes setuid and setgid bits from the files below the places that commands may write, where nothing kept commands
 * from setting them. A folder that its owner may not list but others may pass is opened to its owner first.
 */
export async function clearSetuid(
  surroundings: Surroundings,
  rules: Pick<FileRules, 'workspace' | 'allowed'>,
): Promise<void> {
  if (!surroundings.clearsSetuid) return
  const places = rules.allowed.length === 0 ? [rules.workspace] : rules.allowed
  const child = spawn('find', findArguments(places), optionsOf(surroundings))
  await Promise.race([once(child, 'exit'), once(child, 'error')])
}

/** The same at once: for the moment when the executor itself ends. */
export function clearSetuidNow(surroundings: Surroundings, workspace: string): void {
  if (!surroundings.clearsSetuid) return
  spawnSync('find', findArguments([workspace]), { ...optionsOf(surroundings), timeout: lastMs })
}

function findArguments(places: readonly string[]): readonly string[] {
  // A name that begins with a dash would be an option.
  const roots = places.map((place) => (place.startsWith('/') ? place : `./${place}`))
  const closed = ['-type', 'd', '!', '-perm', '-500', '-exec', 'chmod', 'u+rx', '{}', ';']
  const set = ['-type', 'f', '-perm', '/6000', '-exec', 'chmod', 'ug-s', '{}', '+']
  return [...roots, '-xdev', '(', ...closed, '-o', ...set, ')']
}

function optionsOf({ path }: Surroundings) {
  return { env: { PATH: path }, stdio: 'ignore' } as const
}
