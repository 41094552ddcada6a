import { keyedDigest } from '../../util/keyed-digest.ts'

/**
 * The pseudonym that stands for a caller in rows of the audit: `person:` and 40 hexadecimal digits of HMAC-SHA256 over the
 * caller id, with 32 random bytes as key. Nobody finds a key that gives it to another id; without its key it tells nothing.
 */
export function aliasOf(callerId: string, key: Uint8Array): string {
  return `person:${keyedDigest(key, callerId).slice(0, 40)}`
}
