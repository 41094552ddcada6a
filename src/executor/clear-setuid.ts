// Node's own `spawn`, not execa: the executor is staged without packages, and a box would start 50 ms later.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { FileRules } from '../domain/tool/file-rules.ts'
import type { Surroundings } from './call.ts'

/** Time limit of the final cleanup in milliseconds. */
const lastMs = 5_000

/**
 * THREAT-31: clears setuid and setgid bits below the directories that commands may write, if they could set them. Makes
 * unreadable folders readable for their owner first.
 */
export async function clearSetuid(
  surroundings: Surroundings,
  rules: Pick<FileRules, 'workspace' | 'allowed'>,
): Promise<void> {
  if (!surroundings.clearsSetuid) return
  const places = rules.allowed.length === 0 ? [rules.workspace] : rules.allowed
  const searches = searchesOf(surroundings, places).map(async (search) => {
    const child = spawn('find', search, optionsOf(surroundings))
    await Promise.race([once(child, 'exit'), once(child, 'error')])
  })
  await Promise.all(searches)
}

/** Clears the bits synchronously, when the executor ends. */
export function clearSetuidNow(surroundings: Surroundings, workspace: string): void {
  if (!surroundings.clearsSetuid) return
  const how = { ...optionsOf(surroundings), timeout: lastMs }
  for (const search of searchesOf(surroundings, [workspace])) spawnSync('find', search, how)
}

/** Returns arguments of `find`. A dedicated user's files are also searched in world-writable directories. */
function searchesOf(
  { alone }: Surroundings,
  places: readonly string[],
): readonly (readonly string[])[] {
  // A leading dash would make it an option.
  const roots = places.map((place) => (place.startsWith('/') ? place : `./${place}`))
  const inPlaces = [...roots, '-xdev', '(', ...changes, ')']
  const uid = process.getuid?.()
  if (alone !== 'user' || uid === undefined) return [inPlaces]
  const others = ['-type', 'd', '!', '-user', String(uid), '-prune']
  const own = ['-user', String(uid), '(', ...changes, ')']
  return [inPlaces, [...sharedPlaces, '-xdev', '-mindepth', '1', ...others, '-o', ...own]]
}

const sharedPlaces = ['/tmp', '/var/tmp', '/dev/shm']

const changes = [
  ...['-type', 'd', '!', '-perm', '-500', '-exec', 'chmod', 'u+rx', '{}', ';', '-o'],
  ...['-type', 'f', '-perm', '/6000', '-exec', 'chmod', 'ug-s', '{}', '+'],
]

function optionsOf({ path }: Surroundings) {
  return { env: { PATH: path }, stdio: 'ignore' } as const
}
