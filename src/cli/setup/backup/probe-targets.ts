import { lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { signingKeyFile } from '../../../app/keys/load-keys.ts'
import type { Config } from '../../../config/config.ts'
import { CommandError } from '../../../domain/command-error.ts'
import { syncDirectory } from '../../../util/files.ts'
import { hasCode } from '../../../util/has-code.ts'

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
    code: 'RESTORE_TARGET',
    cause,
  })
}

/** Returns the target of a key: the configured path, or one in the data directory. */
export function keyTarget(config: Config, name: string): string | undefined {
  if (name === 'signing-key.pem') return config.signingKeyFile ?? signingKeyFile(config.dataDir)
  if (name === 'verify-keys.pem') {
    return config.verifyKeysFile ?? join(config.dataDir, 'keys', 'verify-keys.pem')
  }
  return undefined
}

/** Key that was written next to its target, or is already in place. */
export interface StagedKey {
  /** Moves the key to its target and flushes it; returns a sentence for the operator, if any. */
  put(): Promise<string | undefined>
  /** Removes the key unless it was put in place. */
  discard(): Promise<void>
}

/** Writes a key next to its target (0600). `put` keeps a different existing key under a free name. */
export async function stageKey(place: string, text: string): Promise<StagedKey> {
  const present = await readFile(place, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (present === text) return { put: async () => undefined, discard: async () => undefined }
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const temporary = `${place}.restored`
  await rm(temporary, { force: true })
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
  return {
    put: async () => {
      const kept = present === undefined ? undefined : await keptName(place)
      if (kept !== undefined) await rename(place, kept)
      await rename(temporary, place)
      await syncDirectory(dirname(place))
      return kept === undefined ? undefined : `the key that was there is kept as ${kept}`
    },
    discard: () => rm(temporary, { force: true }),
  }
}

/**
 * Returns `<key>.before-restore`, or the first free name of `<key>.before-restore-2`, `-3`, …, so that keys of earlier
 * restores are kept.
 */
async function keptName(place: string): Promise<string> {
  const first = `${place}.before-restore`
  let name = first
  for (let number = 2; await exists(name); number += 1) name = `${first}-${number}`
  return name
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
