import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../../config/config.ts'
import { CommandError } from '../../../domain/command-error.ts'
import { hasCode } from '../../../util/has-code.ts'
import { keyTarget } from './restore-keys.ts'

/**
 * Tests whether a restore can write to the data directory and to the places of missing `keys`. Throws CommandError before
 * anything is changed.
 */
export async function probeTargets(
  config: Config,
  keys: Readonly<Record<string, string>>,
): Promise<void> {
  await probe(config.dataDir)
  for (const [name, text] of Object.entries(keys)) {
    const place = keyTarget(config, name)
    if (place !== undefined && (await readKey(place)) !== text) await probe(dirname(place))
  }
}

async function readKey(place: string): Promise<string | undefined> {
  try {
    return await readFile(place, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw unwritable(place, error)
  }
}

async function probe(directory: string): Promise<void> {
  const path = join(directory, `.countersign-restore-${process.pid}`)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await (await open(path, 'wx', 0o600)).close()
    await rm(path)
  } catch (error) {
    throw unwritable(directory, error)
  }
}

function unwritable(place: string, cause: unknown): CommandError {
  const code = cause instanceof Error ? String(Reflect.get(cause, 'code')) : 'unknown error'
  return new CommandError(`restore cannot write in ${place} (${code}). Nothing was changed.`, {
    cause,
  })
}
