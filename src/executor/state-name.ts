import { createHmac, randomBytes } from 'node:crypto'

/**
 * Key of this process. Fingerprints leave the box, and must not reveal file names even to somebody who guesses them.
 * Another process has other fingerprints and reads again.
 */
const key = randomBytes(32)

/** OUT-11: returns a fingerprint of a state described by these texts. */
export function stateName(texts: Iterable<string>): string {
  const hmac = createHmac('sha256', key)
  for (const text of texts) hmac.update(text).update('\0')
  return hmac.digest('hex')
}
