import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../domain/command-error.ts'
import { workerToken } from '../../rules/jobs/enrolment.ts'
import { generateKeyPair, keyId, parsePublicKey } from '../../rules/jobs/keys.ts'
import { createSigner } from '../../rules/jobs/sign.ts'
import { newId } from '../../util/ids.ts'
import { createFile } from '../../worker/durable-file.ts'

export interface NewKeysOptions {
  /** Directory of the signing key and the enrolment secret, for agents only. */
  readonly directory: string
  /** Directory of the files for workers. */
  readonly workerDirectory: string
  /** Worker whose token is created. */
  readonly worker: string
  /** Keeps an existing signing key and creates only replaceable parts: secret and token. */
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
 * DECISIONS 13: creates a signing key, its verifying key, an enrolment secret and a worker's token (0600 except for
 * public files). Never overwrites files; creates all or nothing.
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
  // The signing key is written last, so other files without it are from a killed run or need attention.
  if (options.keep) await Promise.all(there.map(moveAside))
  else for (const file of there) throw alreadyThere(file)
  for (const made of [options.directory, options.workerDirectory]) {
    await mkdir(made, { recursive: true, mode: 0o700 })
  }
  const kid = await writeAll(files, options.worker)
  return { kind: 'made', ...files, kid }
}

type Files = Omit<NewKeys, 'kind' | 'kid'>

async function keptKeys(files: Files, worker: string): Promise<NewKeys> {
  const { signingKeyFile, enrolmentSecretFile, verifyKeysFile, workerTokenFile } = files
  if (!existsSync(verifyKeysFile)) throw noVerifyKeys(files)
  if (!existsSync(enrolmentSecretFile)) await makeSecret(files)
  const token = workerToken(await read(enrolmentSecretFile), worker)
  if (!existsSync(workerTokenFile)) await writeNew(workerTokenFile, `${token}\n`, 0o600)
  if ((await read(workerTokenFile)) !== token) throw ofAnother(files, worker)
  const { kid } = createSigner(await read(signingKeyFile))
  return { kind: 'kept', ...files, kid }
}

/**
 * Creates a new secret. Moves the old token aside first, because it no longer enrols anyone, so that a kill leaves no
 * mismatch.
 */
async function makeSecret({ enrolmentSecretFile, workerTokenFile }: Files): Promise<void> {
  if (existsSync(workerTokenFile)) await moveAside(workerTokenFile)
  await writeNew(enrolmentSecretFile, `${newSecret()}\n`, 0o600)
}

async function read(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim()
}

async function moveAside(file: string): Promise<void> {
  await rename(file, `${file}.aside-${newId()}`)
}

function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** The verifying file may contain keys of earlier signing keys, which cannot be recreated. */
function noVerifyKeys({ signingKeyFile, verifyKeysFile }: Files): CommandError {
  return new CommandError(
    `${verifyKeysFile} is not there: restore it, for it verifies what earlier keys signed too; where there was one key only, openssl pkey -pubout -in ${signingKeyFile} -out ${verifyKeysFile} makes it again`,
    { code: 'KEYS_INCOMPLETE' },
  )
}

function ofAnother({ workerTokenFile, enrolmentSecretFile }: Files, worker: string): CommandError {
  return new CommandError(
    `${workerTokenFile} is not what ${enrolmentSecretFile} gives worker "${worker}", and would not enrol it: put there what countersign keys token ${worker} prints`,
    { code: 'KEYS_INCOMPLETE' },
  )
}

/** Writes all files; returns the id of the signing key. */
async function writeAll(files: Files, worker: string): Promise<string> {
  const { privateKeyPem, publicKeyPem } = generateKeyPair()
  const secret = newSecret()
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

/** Writes a file atomically, so that a kill cannot leave an empty key. */
async function writeNew(file: string, text: string, mode: number): Promise<void> {
  if (!(await createFile(file, text, true, mode))) throw alreadyThere(file)
}

function alreadyThere(file: string): CommandError {
  return new CommandError(
    `${file} is there already, and is not overwritten: name another directory, or use --keep`,
    { code: 'FILE_EXISTS' },
  )
}
