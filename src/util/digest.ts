import { createHash, createHmac, randomBytes } from 'node:crypto'

/** A key of 32 random bytes. */
export function createDigestKey(): Buffer {
  return randomBytes(32)
}

/** HMAC-SHA256 of a text in UTF-8, as 64 hexadecimal digits. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

/** The SHA-256 of UTF-8 text or bytes, as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
