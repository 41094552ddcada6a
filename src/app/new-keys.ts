import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair, type KeyPair, keyId, parsePublicKey } from '../rules/jobs/keys.ts'
import { createSigner } from '../rules/jobs/sign.ts'
import { newId } from '../util/new-id.ts'
import { CommandError } from './command-error.ts'

export interface NewKeysOptions {
  /** Where the signing key goes, for agents alone. */
  readonly directory: string
  /** Where what workers need goes. */
  readonly workerDirectory: string
  /** Leaves a whole set that is there as it is. */
  readonly keep: boolean
}

export interface NewKeys {
  readonly kind: 'made' | 'kept'
  readonly signingKeyFile: string
  readonly verifyKeysFile: string
  readonly workerTokenFile: string
  readonly kid: string
}

/**
 * DECISIONS 13: writes a fresh signing key (0600), the file that verifies it, and the token by which workers enrol (0600);
 * never over files that are there, and all or nothing.
 */
export async function newKeys(options: NewKeysOptions): Promise<NewKeys> {
  const files = {
    signingKeyFile: join(options.directory, 'signing-key.pem'),
    verifyKeysFile: join(options.workerDirectory, 'verify-keys.pem'),
    workerTokenFile: join(options.workerDirectory, 'worker-token'),
  }
  if (options.keep && existsSync(files.signingKeyFile)) return keptKeys(files)
  const there = Object.values(files).filter((file) => existsSync(file))
  // The signing key is written last: what stands there without one is of a run that was killed, or worth a look.
  if (options.keep) await Promise.all(there.map((file) => rename(file, `${file}.aside-${newId()}`)))
  else for (const file of there) throw alreadyThere(file)
  for (const made of [options.directory, options.workerDirectory]) {
    await mkdir(made, { recursive: true, mode: 0o700 })
  }
  const pair = generateKeyPair()
  await writeAll(files, pair)
  return { kind: 'made', ...files, kid: keyId(parsePublicKey(pair.publicKeyPem)) }
}

type Files = Pick<NewKeys, 'signingKeyFile' | 'verifyKeysFile' | 'workerTokenFile'>

async function keptKeys(files: Files): Promise<NewKeys> {
  for (const file of [files.verifyKeysFile, files.workerTokenFile]) {
    if (!existsSync(file)) throw missing(file, files.signingKeyFile)
  }
  const { kid } = createSigner(await readFile(files.signingKeyFile, 'utf8'))
  return { kind: 'kept', ...files, kid }
}

function missing(file: string, beside: string): CommandError {
  return new CommandError(
    `${file} is not there, but ${beside} is: restore it, or remove that key too to have all made anew`,
  )
}

async function writeAll(files: Files, { privateKeyPem, publicKeyPem }: KeyPair): Promise<void> {
  const texts = [
    [files.verifyKeysFile, publicKeyPem, 0o644],
    [files.workerTokenFile, `${randomBytes(32).toString('hex')}\n`, 0o600],
    [files.signingKeyFile, privateKeyPem, 0o600],
  ] as const
  const written: string[] = []
  try {
    for (const [file, text, mode] of texts) {
      await writeNew(file, text, mode)
      written.push(file)
    }
  } catch (error) {
    for (const file of written) await rm(file)
    throw error
  }
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
    `${file} is there already, and is not overwritten: name another directory, or use --keep`,
  )
}
