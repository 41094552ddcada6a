import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { hasCode } from '../../util/has-code.ts'
import { signingKeyFile } from '../load-keys.ts'

/** Where keys of a backup belong: where the configuration names them, else in the data directory. */
export function keyPlace(config: Config, name: string): string | undefined {
  if (name === 'signing-key.pem') return config.signingKeyFile ?? signingKeyFile(config.dataDir)
  if (name === 'verify-keys.pem') {
    return config.verifyKeysFile ?? join(config.dataDir, 'keys', 'verify-keys.pem')
  }
  return undefined
}

/**
 * Puts a key in its place (0600). Another one that is there already is kept beside it as `<name>.before-restore`. Answers a
 * sentence where somebody should know.
 */
export async function restoreKey(place: string, text: string): Promise<string | undefined> {
  const present = await readFile(place, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (present === text) return undefined
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const beside = `${place}.restored`
  await writeFile(beside, text, { mode: 0o600 })
  if (present !== undefined) await rename(place, `${place}.before-restore`)
  await rename(beside, place)
  return present === undefined
    ? undefined
    : `the key that was there is kept as ${place}.before-restore`
}
