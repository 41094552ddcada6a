import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { signingKeyFile } from '../../../app/keys/load-keys.ts'
import type { Config } from '../../../config/config.ts'
import { hasCode } from '../../../util/has-code.ts'
import { syncDirectory } from '../../../util/sync-directory.ts'

/** Where keys of a backup belong: where the configuration names them, else in the data directory. */
export function keyPlace(config: Config, name: string): string | undefined {
  if (name === 'signing-key.pem') return config.signingKeyFile ?? signingKeyFile(config.dataDir)
  if (name === 'verify-keys.pem') {
    return config.verifyKeysFile ?? join(config.dataDir, 'keys', 'verify-keys.pem')
  }
  return undefined
}

/** A key that lies beside its place, or is there already. */
export interface StagedKey {
  /** Moves it to its place, where a power cut leaves it, and answers a sentence where somebody should know. */
  put(): Promise<string | undefined>
  /** Removes what was not put. */
  discard(): Promise<void>
}

/** Writes a key beside its place (0600). Another one that is there is kept by `put` beside it, under a free name. */
export async function stageKey(place: string, text: string): Promise<StagedKey> {
  const present = await readFile(place, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (present === text) return { put: async () => undefined, discard: async () => undefined }
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const beside = `${place}.restored`
  await rm(beside, { force: true })
  await writeFile(beside, text, { mode: 0o600, flag: 'wx', flush: true })
  return {
    put: async () => {
      const kept = present === undefined ? undefined : await keptName(place)
      if (kept !== undefined) await rename(place, kept)
      await rename(beside, place)
      await syncDirectory(dirname(place))
      return kept === undefined ? undefined : `the key that was there is kept as ${kept}`
    },
    discard: () => rm(beside, { force: true }),
  }
}

/** `<key>.before-restore`, or the first free one of `<key>.before-restore-2`, `-3`, …: keys of earlier restores stay. */
async function keptName(place: string): Promise<string> {
  const first = `${place}.before-restore`
  let name = first
  for (let number = 2; await isThere(name); number += 1) name = `${first}-${number}`
  return name
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
