import { isAnnounced } from '../secrets/assignment-at.ts'

/**
 * Words behind which the same line may hold a secret that goes over blanks, or that only a later character of the line
 * tells from other text.
 */
const announcement =
  /secret|token|passw|passphrase|pwd|credential|creds|key|pass[=:"']|login|auth|cookie|bearer|:\/\/|data|curl|mysql|mariadb|sshpass|docker|ldapsearch|private|SSWS|nral|["<](?:d|k|p|q|dp|dq|qi|inverseq)["\\>]/i
/** So little of a word tells nothing of a secret. */
const harmless = /^(?:\S{0,3}|\d{1,3}(?:\.\d{1,2})?%)$/

/** Up to which offset the line that is being printed may be shown; `lines` are those before it. */
export function unfinishedLineFrom(lines: string, rest: string): number {
  if (isAnnounced(lines)) return 0
  const end = rest.search(announcement)
  const line = end === -1 ? rest : rest.slice(0, end)
  const word = /\S*$/.exec(line)?.[0] ?? ''
  return end === -1 && harmless.test(word) ? line.length : line.length - word.length
}
