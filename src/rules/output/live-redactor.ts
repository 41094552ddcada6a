import type { Redactor } from './create-redactor.ts'
import { margin } from './key-bodies.ts'
import { openPrivateKey } from './private-keys.ts'
import { redactionMark } from './redaction-mark.ts'
import { sanitise } from './sanitise.ts'
import type { SecretSpan } from './secret-shapes.ts'
import { isAnnounced, openElement } from './secrets/assignment-at.ts'
import { manifestValues } from './secrets/manifest-values.ts'

const base64 = /[A-Za-z0-9+/=]{60,}/g

const keyLine = new RegExp(
  String.raw`^${margin}(?<content>[A-Za-z0-9+/]{1,76}={0,2}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info): .*)["'\\,\s]*$`,
)

/** A shorter line belongs to a key only below one of these. */
const fullLine = 16

/** In UTF-16 units: further back no rule looks for what tells a secret (a manifest has 65,536), and a view is short. */
const keptUnits = 80_000

/** A line that grows longer is left out until it ends. */
const longestLine = 65_536

/** The end of what a command printed so far: whole lines, sanitised, and the line that has not ended yet. */
class PrintedLines {
  #lines = ''
  /** As it was printed: an escape sequence may be in halves. */
  #rest = ''
  /** The beginning of the line that is being printed was left out, so none of it is kept. */
  #isHeadless = false

  /** `isCut`: more was printed before it, which was left out. */
  append(printed: string, isCut: boolean): void {
    if (isCut) this.#forget()
    const text = this.#withoutHeadless(this.#rest + printed)
    const end = text.lastIndexOf('\n') + 1
    this.#rest = text.slice(end)
    this.#lines = lastLines(this.#lines + sanitise(text.slice(0, end)))
    if (this.#rest.length <= longestLine) return
    this.#rest = ''
    this.#isHeadless = true
  }

  read(): { readonly lines: string; readonly rest: string } {
    return { lines: this.#lines, rest: sanitise(this.#rest.replace(halfSequence, '')) }
  }

  #forget(): void {
    this.#lines = ''
    this.#rest = ''
    this.#isHeadless = true
  }

  #withoutHeadless(text: string): string {
    if (!this.#isHeadless) return text
    const end = text.indexOf('\n')
    if (end === -1) return ''
    this.#isHeadless = false
    return text.slice(end + 1)
  }
}

/** An escape sequence that goes on in what is printed next: one of a string, CSI with its parameters, or a short one. */
const halfSequence = new RegExp(
  [
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*\u001b?$`,
    String.raw`\u001b\[[0-?]*[ -/]*$`,
    String.raw`\u001b[ -/]*$`,
  ].join('|'),
)

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

function lastLines(text: string): string {
  if (text.length <= keptUnits) return text
  const from = text.indexOf('\n', text.length - keptUnits) + 1
  return from === 0 ? '' : text.slice(from)
}

/** What may be a secret once more of the text is known, as far as it reaches behind `from`. */
function findSuspicious(text: string, from: number): readonly SecretSpan[] {
  const opened = [openPrivateKey(text), openElement(text)].filter((start) => start !== undefined)
  return [
    // That a manifest is of a Secret may be said below its data.
    ...manifestValues(text),
    ...keyLines(text, from),
    ...opened.map((start) => ({ start, end: text.length })),
  ].map(({ start, end }) => ({ start, end, kind: 'possible-secret' }))
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Lines as a key has them: that it is one may be said by its last line alone. */
function keyLines(text: string, from: number): Range[] {
  const spans: Range[] = []
  let isBelowKeyLine = false
  // The line before the first one tells whether that is the end of a key.
  for (let start = lineStart(text, lineStart(text, from) - 1); start < text.length; ) {
    const next = text.indexOf('\n', start)
    const end = next === -1 ? text.length : next
    const line = text.slice(start, end)
    const isKeyLine = isOfKey(line, isBelowKeyLine)
    if (isKeyLine) spans.push({ start, end })
    else spans.push(...longRuns(line, start))
    isBelowKeyLine = isKeyLine
    start = end + 1
  }
  return spans
}

function isOfKey(line: string, isBelowKeyLine: boolean): boolean {
  const { content } = keyLine.exec(line)?.groups ?? {}
  return content !== undefined && (isBelowKeyLine || looksRandom(content))
}

/** Words and paths have letters of one case, and a row of digits or of hexadecimal ones is no line of a key. */
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
