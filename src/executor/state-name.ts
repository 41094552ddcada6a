import { createHmac, randomBytes } from 'node:crypto'

/**
 * Of this process alone: a name leaves the box for the queue and the database, and says nothing there of the names of files that
 * it was made from, not even to whoever guesses them. Another process has other names, and looks anew.
 */
const key = randomBytes(32)

/** OUT-11: a name for a state that is described by these texts. */
export function stateName(texts: Iterable<string>): string {
  const hmac = createHmac('sha256', key)
  for (const text of texts) hmac.update(text).update('\0')
  return hmac.digest('hex')
}
