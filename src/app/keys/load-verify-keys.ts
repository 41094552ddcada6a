import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { CommandError } from '../../domain/command-error.ts'
import { parsePublicKey, parseVerifyKeys } from '../../rules/jobs/keys.ts'
import { createSigner } from '../../rules/jobs/sign.ts'
import { hasCode } from '../../util/has-code.ts'
import { signingKeyFile } from './load-keys.ts'

/** Public keys by id. */
export type VerifyKeys = ReadonlyMap<string, KeyObject>

/** Loads every key that may have signed here: our own public key, and those of COUNTERSIGN_VERIFY_KEYS_FILE. */
export async function loadVerifyKeys(config: Config): Promise<VerifyKeys> {
  const own = await ownKeys(config)
  const file = config.verifyKeysFile
  if (file === undefined) return own
  return new Map([...own, ...(await readVerifyKeys(file))])
}

/** Reads the public keys of a file. Throws CommandError if it is unreadable or contains anything else. */
export function readVerifyKeys(file: string): Promise<VerifyKeys> {
  return parsed(file, async () => parseVerifyKeys(await readFile(file, 'utf8')))
}

/** Returns our own public key; empty for an operator who only verifies. */
async function ownKeys(config: Config): Promise<VerifyKeys> {
  const file = config.signingKeyFile ?? signingKeyFile(config.dataDir)
  const pem = await readFile(file, 'utf8').catch((error: unknown) => {
    const isMissing = hasCode(error, 'ENOENT')
    if (isMissing && config.signingKeyFile === undefined) return undefined
    throw error
  })
  if (pem === undefined) return new Map()
  const signer = await parsed(file, async () => createSigner(pem))
  return new Map([[signer.kid, parsePublicKey(signer.publicKeyPem)]])
}

async function parsed<T>(file: string, parse: () => Promise<T>): Promise<T> {
  try {
    return await parse()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`cannot use the keys in ${file}: ${why}`, {
      code: 'KEYS_UNUSABLE',
      cause: error,
    })
  }
}
