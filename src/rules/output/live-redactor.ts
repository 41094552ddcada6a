import type { Redactor } from './create-redactor.ts'
import { PrintedLines } from './live/printed-lines.ts'
import { findSuspicious } from './live/suspicious.ts'
import { redactionMark } from './redaction-mark.ts'
import type { SecretSpan } from './secret-shapes.ts'
import { isAnnounced } from './secrets/assignment-at.ts'

/**
 * Words behind which the same line may hold a secret that goes over blanks, or that only a later character of the line
 * tells from other text.
 */
const announcement =
  /secret|token|passw|passphrase|pwd|credential|creds|key|pass[=:"']|login|auth|cookie|bearer|:\/\/|data|curl|mysql|mariadb|sshpass|docker|ldapsearch|private|SSWS|nral|["<](?:d|k|p|q|dp|dq|qi|inverseq)["\\>]/i

/** So little of a word tells nothing of a secret. */
const harmless = /^(?:\S{0,3}|\d{1,3}(?:\.\d{1,2})?%)$/

const shownLines = 5
/** In UTF-16 units, before redaction. */
const shownUnits = 2_000

/** Redacts the last lines of a running command, again and again while they grow (BASH-09, threat 14). */
export interface LiveRedactor {
  /** Takes what was printed since the last call, as it came; `isCut`: more was printed before it, which was left out. */
  append(printed: string, isCut?: boolean): void
  /** The last lines of all that may be shown now. */
  read(): string
}

/**
 * Shows nothing that the redaction of the whole output could still hide. The last 80,000 characters are looked at together,
 * because the name of a value may stand far above it. What only later lines would tell to be a secret is hidden until they
 * come: a key without its last line, the data of a manifest without its kind, an element that is not closed. Of a line that
 * is not yet ended, the last word is held back, and all behind a word that announces a secret.
 */
export function createLiveRedactor(redactor: Redactor): LiveRedactor {
  const printed = new PrintedLines()
  return {
    append: (text, isCut = false) => printed.append(text, isCut),
    read() {
      const { lines, rest } = printed.read()
      const all = lines + rest
      const end = Math.min(
        redactor.unfinishedFrom(all),
        lines.length + unfinishedLineFrom(lines, rest),
      )
      const start = Math.max(startOfLast(lines), all.length - shownUnits)
      const spans = [...redactor.find(all), ...findSuspicious(all, start)]
      return replaceWithin(all, start, end, spans).replace(/^\n+/, '').trimEnd()
    },
  }
}

function startOfLast(lines: string): number {
  let start = lines.length
  for (let count = 0; count < shownLines && start > 0; count += 1) {
    start = lines.lastIndexOf('\n', start - 2) + 1
  }
  return start
}

function replaceWithin(
  text: string,
  from: number,
  to: number,
  spans: readonly SecretSpan[],
): string {
  const parts: string[] = []
  let done = from
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.end <= done || span.start >= to) continue
    parts.push(text.slice(done, Math.max(done, span.start)), redactionMark(span.kind))
    done = Math.min(span.end, to)
  }
  return `${parts.join('')}${text.slice(done, Math.max(done, to))}`
}

/** Up to which offset the line that is being printed may be shown; `lines` are those before it. */
function unfinishedLineFrom(lines: string, rest: string): number {
  if (isAnnounced(lines)) return 0
  const end = rest.search(announcement)
  const line = end === -1 ? rest : rest.slice(0, end)
  const word = /\S*$/.exec(line)?.[0] ?? ''
  return end === -1 && harmless.test(word) ? line.length : line.length - word.length
}
