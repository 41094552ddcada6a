import { readFile, stat } from 'node:fs/promises'
import { signingKeyFile } from '../../app/keys/load-keys.ts'
import type { Config } from '../../config/config.ts'
import { parseVerifyKeys } from '../../rules/jobs/keys.ts'
import { createSigner } from '../../rules/jobs/sign.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks the signing key and the verifying keys. Prints key ids only. */
export async function checkKeys(config: Config): Promise<readonly Finding[]> {
  const file = config.signingKeyFile ?? signingKeyFile(config.dataDir)
  const signing = await read(file)
  if (signing.kind === 'missing' && config.signingKeyFile === undefined) {
    return [ok('signing key', 'is made at the first start'), ...(await checkVerifyKeys(config))]
  }
  if (signing.kind !== 'text') {
    const mend = 'correct COUNTERSIGN_SIGNING_KEY_FILE, or make one with countersign keys new'
    return [fail('signing key', `${file} cannot be read (${signing.why})`, mend)]
  }
  const kid = tryParse(() => createSigner(signing.text).kid)
  if (kid.value === undefined) {
    return [fail('signing key', `${file}: ${kid.why}`, 'make one with countersign keys new')]
  }
  return [await checkMode(file, kid.value), ...(await checkVerifyKeys(config, kid.value))]
}

async function checkMode(file: string, kid: string): Promise<Finding> {
  const found = await stat(file)
  if (isPrivate(found)) return ok('signing key', `${kid} in ${file}`)
  const mode = found.mode & 0o777
  const finding = `${file} can be read by other users of this machine (mode ${mode.toString(8)})`
  return warn('signing key', finding, `chmod 600 ${file}`)
}

/**
 * Whether a file is private. Its group may read it where the file is another user's and handed to us by that group, as secrets of
 * Kubernetes are; root needs no group for it.
 */
export function isPrivate(
  { mode, uid }: { readonly mode: number; readonly uid: number },
  own = process.geteuid?.() ?? 0,
): boolean {
  const isHanded = own !== 0 && uid !== own
  return (mode & (isHanded ? 0o037 : 0o077)) === 0
}

/** Checks the keys with which a worker verifies jobs; `kid` is the local signing key. */
export async function checkVerifyKeys(config: Config, kid?: string): Promise<readonly Finding[]> {
  const file = config.verifyKeysFile
  if (file === undefined) return []
  const what = 'verifying keys'
  const read_ = await read(file)
  if (read_.kind !== 'text') {
    const mend = 'correct COUNTERSIGN_VERIFY_KEYS_FILE'
    return [fail(what, `${file} cannot be read (${read_.why})`, mend)]
  }
  const keys = tryParse(() => parseVerifyKeys(read_.text))
  if (keys.value === undefined) {
    return [fail(what, `${file}: ${keys.why}`, 'put public keys there, as keys new writes them')]
  }
  const ids = [...keys.value.keys()]
  if (kid === undefined || ids.includes(kid)) return [ok(what, `${ids.join(', ')} in ${file}`)]
  const finding = `${file} lacks ${kid}, the key that signs here`
  return [fail(what, finding, 'add its public half: workers refuse its jobs otherwise')]
}

type Read =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' | 'unreadable'; readonly why: string }

async function read(file: string): Promise<Read> {
  try {
    return { kind: 'text', text: await readFile(file, 'utf8') }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { kind: why === 'ENOENT' ? 'missing' : 'unreadable', why }
  }
}

function tryParse<T>(parse: () => T): { readonly value: T | undefined; readonly why: string } {
  try {
    return { value: parse(), why: '' }
  } catch (error) {
    return { value: undefined, why: error instanceof Error ? error.message : String(error) }
  }
}
