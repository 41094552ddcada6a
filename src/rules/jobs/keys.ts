import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

/** An Ed25519 key pair as PEM text: PKCS #8 for the private half, SPKI for the public one. */
export interface KeyPair {
  readonly privateKeyPem: string
  readonly publicKeyPem: string
}

/** Generates an Ed25519 key pair. */
export function generateKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKeyPem: toPrivatePem(privateKey), publicKeyPem: toPublicPem(publicKey) }
}

/** Parses an Ed25519 private key in PEM; throws otherwise, with a message that does not quote the text. */
export function parsePrivateKey(pem: string): KeyObject {
  return assertEd25519(() => createPrivateKey(pem), 'private')
}

/** Parses an Ed25519 public key in SPKI PEM; throws otherwise, also for a private key. */
export function parsePublicKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY')) throw new Error('expected a public key, found a private one')
  return assertEd25519(() => createPublicKey(pem), 'public')
}

/** Parses all public keys of a file, by key id. With several keys, an old and a new signing key are valid at once. */
export function parseVerifyKeys(text: string): Map<string, KeyObject> {
  if (text.includes('PRIVATE KEY')) throw new Error('expected public keys, found a private one')
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? []
  if (blocks.length === 0) throw new Error('no public key (PEM) found')
  return new Map(blocks.map(parsePublicKey).map((key) => [keyId(key), key]))
}

/** Id of a public key: the first 16 hexadecimal digits of the SHA-256 of its SPKI DER. */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}

/** A public key as SPKI PEM. */
export function toPublicPem(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

function toPrivatePem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function assertEd25519(read: () => KeyObject, half: 'private' | 'public'): KeyObject {
  const key = tryRead(read)
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error(`not an Ed25519 ${half} key in PEM`)
  return key
}

// Errors of OpenSSL may quote the text, so they are dropped.
function tryRead(read: () => KeyObject): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
