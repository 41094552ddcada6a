import { existsSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair, keyId, parsePublicKey } from '../rules/jobs/keys.ts'
import { CommandError } from './command-error.ts'

export interface NewKeys {
  readonly signingKeyFile: string
  readonly verifyKeysFile: string
  readonly kid: string
}

/** DECISIONS 13: writes a fresh signing key (0600) and the file that verifies it; never over files that are there. */
export async function newKeys(directory: string): Promise<NewKeys> {
  const signing = join(directory, 'signing-key.pem')
  const verifying = join(directory, 'verify-keys.pem')
  for (const file of [signing, verifying]) if (existsSync(file)) throw alreadyThere(file)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { privateKeyPem, publicKeyPem } = generateKeyPair()
  await writeNew(signing, privateKeyPem, 0o600)
  try {
    await writeNew(verifying, publicKeyPem, 0o644)
  } catch (error) {
    await rm(signing)
    throw error
  }
  const kid = keyId(parsePublicKey(publicKeyPem))
  return { signingKeyFile: signing, verifyKeysFile: verifying, kid }
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  try {
    await using handle = await open(file, 'wx', mode)
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw alreadyThere(file)
    throw error
  }
}

function alreadyThere(file: string): CommandError {
  return new CommandError(
    `${file} is there already, and is not overwritten: name another directory`,
  )
}
