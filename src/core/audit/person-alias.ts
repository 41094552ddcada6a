import { createHmac, randomBytes } from 'node:crypto'

/** The key of one person's pseudonym, 32 bytes: who deletes it forgets whose rows they are. */
export function createAliasKey(): Buffer {
  return randomBytes(32)
}

/**
 * The pseudonym that stands for a caller in rows of the audit: `person:` and 40 hexadecimal digits of HMAC-SHA256 over the
 * caller id. It cannot be given to somebody else afterwards: no other id has a key that makes the same.
 */
export function aliasOf(callerId: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(callerId).digest('hex')
  return `person:${digest.slice(0, 40)}`
}

/** Every pseudonym in a text. */
export const aliasPattern = /person:[0-9a-f]{40}/gu
