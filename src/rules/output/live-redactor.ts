import type { Redactor } from './create-redactor.ts'
import { margin } from './key-bodies.ts'
import { openPrivateKey } from './private-keys.ts'
import { redactionMark } from './redact-spans.ts'
import { sanitise } from './sanitise.ts'
import type { SecretSpan } from './secret-shapes.ts'
import { isAnnounced, openElement } from './secrets/assignment-at.ts'
import { manifestValues } from './secrets/manifest-values.ts'

const base64 = /[A-Za-z0-9+/=]{60,}/g

const keyLine = new RegExp(
  String.raw`^${margin}(?<content>[A-Za-z0-9+/]{1,76}={0,2}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info): .*)["'\\,\s]*$`,
)

/** Minimum length of a key line, in UTF-16 units; a shorter line counts only directly below another key line. */
const fullLine = 16

/** Amount of output that is kept, in UTF-16 units: more than any rule looks back (65,536 for a manifest). */
const keptUnits = 80_000

/** Maximum length of an unfinished line, in UTF-16 units; a longer one is dropped up to its end. */
const longestLine = 65_536

/** The last output of a command: complete lines, sanitised, and the unfinished last line. */
class PrintedLines {
  #lines = ''
  /** The unfinished line, unsanitised, because an escape sequence may be incomplete. */
  #rest = ''
  /** The start of the unfinished line was dropped, so its rest is dropped as well. */
  #dropsToLineEnd = false

  /** `isCut`: output before `printed` was dropped. */
  append(printed: string, isCut: boolean): void {
    if (isCut) this.#forget()
    const text = this.#afterDropped(this.#rest + printed)
    const end = text.lastIndexOf('\n') + 1
    this.#rest = text.slice(end)
    this.#lines = lastLines(this.#lines + sanitise(text.slice(0, end)))
    if (this.#rest.length <= longestLine) return
    this.#rest = ''
    this.#dropsToLineEnd = true
  }

  read(): { readonly lines: string; readonly rest: string } {
    return { lines: this.#lines, rest: sanitise(this.#rest.replace(halfSequence, '')) }
  }

  #forget(): void {
    this.#lines = ''
    this.#rest = ''
    this.#dropsToLineEnd = true
  }

  #afterDropped(text: string): string {
    if (!this.#dropsToLineEnd) return text
    const end = text.indexOf('\n')
    if (end === -1) return ''
    this.#dropsToLineEnd = false
    return text.slice(end + 1)
  }
}

/** An incomplete escape sequence at the end: a string, CSI with parameters, or a short one. */
const halfSequence = new RegExp(
  [
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*\u001b?$`,
    String.raw`\u001b\[[0-?]*[ -/]*$`,
    String.raw`\u001b[ -/]*$`,
  ].join('|'),
)

/**
 * Words that may announce a secret in the rest of the line, where the secret may contain blanks or be recognisable only by a
 * later character.
 */
const announcement =
  /secret|token|passw|passphrase|pwd|credential|creds|key|pass[=:"']|login|auth|cookie|bearer|:\/\/|data|curl|mysql|mariadb|sshpass|docker|ldapsearch|private|SSWS|nral|["<](?:d|k|p|q|dp|dq|qi|inverseq)["\\>]/i

/** Last words that are too short, or too plain, to be the start of a secret. */
const harmlessWord = /^(?:\S{0,3}|\d{1,3}(?:\.\d{1,2})?%)$/

const shownLines = 5
/** In UTF-16 units, before redaction. */
const shownUnits = 2_000

/** Redacts the last lines of a running command each time they are shown (BASH-09, threat 14). */
export interface LiveRedactor {
  /** Appends new output, unsanitised; `isCut`: output before it was dropped. */
  append(printed: string, isCut?: boolean): void
  /** The last lines, as far as they are safe to show now. */
  read(): string
}

/**
 * Creates a redactor that never shows text which the redaction of the complete output could still hide. It searches the last
 * 80,000 UTF-16 units, because the name that identifies a value may be far above it. Text that only later lines would identify
 * as a secret stays hidden until they arrive: a key without its END marker, the data of a manifest before its kind, an unclosed
 * element. The last word of the unfinished line is held back, and so is everything after a word that announces a secret.
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
      const spans = [...redactor.find(all), ...findPossibleSecrets(all, start)]
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

/** Length of the part of the unfinished line that may be shown; `lines` are the lines before it. */
function unfinishedLineFrom(lines: string, rest: string): number {
  if (isAnnounced(lines)) return 0
  const end = rest.search(announcement)
  const line = end === -1 ? rest : rest.slice(0, end)
  const word = /\S*$/.exec(line)?.[0] ?? ''
  return end === -1 && harmlessWord.test(word) ? line.length : line.length - word.length
}

function lastLines(text: string): string {
  if (text.length <= keptUnits) return text
  const from = text.indexOf('\n', text.length - keptUnits) + 1
  return from === 0 ? '' : text.slice(from)
}

/** Finds text after `from` that later output may turn out to be a secret. */
function findPossibleSecrets(text: string, from: number): readonly SecretSpan[] {
  const opened = [openPrivateKey(text), openElement(text)].filter((start) => start !== undefined)
  return [
    // The line that makes a manifest a Secret may follow its data.
    ...manifestValues(text),
    ...keyLines(text, from),
    ...opened.map((start) => ({ start, end: text.length })),
  ].map(({ start, end }) => ({ start, end, kind: 'possible-secret' }))
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Lines that look like base64 of a key, which only its END marker would confirm. */
function keyLines(text: string, from: number): Range[] {
  const spans: Range[] = []
  let isBelowKeyLine = false
  // Start one line earlier: it decides whether a short first line is the end of a key.
  for (let start = lineStart(text, lineStart(text, from) - 1); start < text.length; ) {
    const next = text.indexOf('\n', start)
    const end = next === -1 ? text.length : next
    const line = text.slice(start, end)
    const isKeyLine = looksLikeKeyLine(line, isBelowKeyLine)
    if (isKeyLine) spans.push({ start, end })
    else spans.push(...longRuns(line, start))
    isBelowKeyLine = isKeyLine
    start = end + 1
  }
  return spans
}

function looksLikeKeyLine(line: string, isBelowKeyLine: boolean): boolean {
  const { content } = keyLine.exec(line)?.groups ?? {}
  return content !== undefined && (isBelowKeyLine || looksRandom(content))
}

/** Excludes words and paths, which use one case, and rows of decimal or hexadecimal digits. */
function looksRandom(content: string): boolean {
  if (content.length < fullLine || /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(content)) return false
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((one) => one.test(content))
  return classes.length >= 2 || content.includes(': ')
}

function longRuns(line: string, offset: number): Range[] {
  return [...line.matchAll(base64)]
    .filter(([run]) => /[a-z]/.test(run) && /[A-Z]/.test(run))
    .map(({ index, 0: run }) => ({ start: offset + index, end: offset + index + run.length }))
}

function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}
