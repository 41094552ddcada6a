import { createHmac, randomBytes } from 'node:crypto'

/** 32 random bytes. */
export function createDigestKey(): Buffer {
  return randomBytes(32)
}

/** HMAC-SHA256 of a text in UTF-8, as 64 hexadecimal digits. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
