import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { workerToken } from '../rules/jobs/enrolment.ts'
import { generateKeyPair, keyId, parsePublicKey } from '../rules/jobs/keys.ts'
import { createSigner } from '../rules/jobs/sign.ts'
import { newId } from '../util/new-id.ts'
import { CommandError } from './command-error.ts'

export interface NewKeysOptions {
  /** Where the signing key and the enrolment secret go, for agents alone. */
  readonly directory: string
  /** Where what workers need goes. */
  readonly workerDirectory: string
  /** Whose token is made. */
  readonly worker: string
  /** Leaves a whole set that is there as it is. */
  readonly keep: boolean
}

export interface NewKeys {
  readonly kind: 'made' | 'kept'
  readonly signingKeyFile: string
  readonly enrolmentSecretFile: string
  readonly verifyKeysFile: string
  readonly workerTokenFile: string
  readonly kid: string
}

/**
 * DECISIONS 13: writes a fresh signing key, the file that verifies it, a fresh enrolment secret, and the token that it gives one
 * worker (0600, but for what is public); never over files that are there, and all or nothing.
 */
export async function newKeys(options: NewKeysOptions): Promise<NewKeys> {
  const files = {
    signingKeyFile: join(options.directory, 'signing-key.pem'),
    enrolmentSecretFile: join(options.directory, 'enrolment-secret'),
    verifyKeysFile: join(options.workerDirectory, 'verify-keys.pem'),
    workerTokenFile: join(options.workerDirectory, 'worker-token'),
  }
  if (options.keep && existsSync(files.signingKeyFile)) return keptKeys(files, options.worker)
  const there = Object.values(files).filter((file) => existsSync(file))
  // The signing key is written last: what stands there without one is of a run that was killed, or worth a look.
  if (options.keep) await Promise.all(there.map((file) => rename(file, `${file}.aside-${newId()}`)))
  else for (const file of there) throw alreadyThere(file)
  for (const made of [options.directory, options.workerDirectory]) {
    await mkdir(made, { recursive: true, mode: 0o700 })
  }
  const kid = await writeAll(files, options.worker)
  return { kind: 'made', ...files, kid }
}

type Files = Omit<NewKeys, 'kind' | 'kid'>

async function keptKeys(files: Files, worker: string): Promise<NewKeys> {
  for (const file of Object.values(files)) {
    if (!existsSync(file)) throw missing(file, files.signingKeyFile)
  }
  const read = async (file: string) => (await readFile(file, 'utf8')).trim()
  const secret = await read(files.enrolmentSecretFile)
  if ((await read(files.workerTokenFile)) !== workerToken(secret, worker)) {
    throw ofAnother(files, worker)
  }
  const { kid } = createSigner(await readFile(files.signingKeyFile, 'utf8'))
  return { kind: 'kept', ...files, kid }
}

function missing(file: string, beside: string): CommandError {
  return new CommandError(
    `${file} is not there, but ${beside} is: restore it, or remove that key too to have all made anew`,
  )
}

function ofAnother({ workerTokenFile, enrolmentSecretFile }: Files, worker: string): CommandError {
  return new CommandError(
    `${workerTokenFile} is not what ${enrolmentSecretFile} gives worker "${worker}", and would not enrol it: put there what countersign keys token ${worker} prints`,
  )
}

/** Answers the id of the signing key. */
async function writeAll(files: Files, worker: string): Promise<string> {
  const { privateKeyPem, publicKeyPem } = generateKeyPair()
  const secret = randomBytes(32).toString('hex')
  const texts = [
    [files.verifyKeysFile, publicKeyPem, 0o644],
    [files.enrolmentSecretFile, `${secret}\n`, 0o600],
    [files.workerTokenFile, `${workerToken(secret, worker)}\n`, 0o600],
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
  return keyId(parsePublicKey(publicKeyPem))
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
