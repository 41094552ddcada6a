import { margin } from '../key-bodies.ts'
import { openPrivateKey } from '../private-keys.ts'
import type { SecretSpan } from '../secret-shapes.ts'
import { openElement } from '../secrets/assignment-at.ts'
import { manifestValues } from '../secrets/manifest-values.ts'

/** What may be a secret once more of the text is known, as far as it reaches behind `from`. */
export function findSuspicious(text: string, from: number): readonly SecretSpan[] {
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

const base64 = /[A-Za-z0-9+/=]{60,}/g
const keyLine = new RegExp(
  String.raw`^${margin}(?<content>[A-Za-z0-9+/]{1,76}={0,2}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info): .*)["'\\,\s]*$`,
)
/** A shorter line belongs to a key only below one of these. */
const fullLine = 16

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
