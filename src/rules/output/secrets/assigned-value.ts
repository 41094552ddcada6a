import type { Assignment } from './assignment-at.ts'
import { runEnd } from './secret-rule.ts'

/** The right side of an assignment. */
export interface AssignedValue {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

/** Maximum length in UTF-16 units of an unquoted value that is examined; the rest of a longer one is assumed to be alike. */
const maxExamined = 512
/** A quoted value is matched up to its closing quote, where the next one can begin: each is read once. */
const quotedValue = new RegExp(
  [
    String.raw`\\{1,3}(?:["'])(?<escaped>[^"'\\\s]{6,65536})(?=\\{0,3}["'])`,
    String.raw`"(?<double>(?:[^"\\\s]|\\[^nr\s]){6,65536})"`,
    String.raw`'(?<single>(?:[^'\\\s]|\\[^nr\s]){6,65536})'`,
  ].join('|'),
  'dy',
)
const bareValue = new RegExp(
  String.raw`[>"'\x60]?((?:[^\s"'\x60,;()<>{}[\]&\\]|&(?![\w.-]{1,40}=)|\\(?!["'nrt])){6,${maxExamined}})`,
  'dy',
)

/** The value of an assignment: quoted, the rest of its line, or up to the first delimiter. */
export function valueAt(text: string, assignment: Assignment): AssignedValue | undefined {
  quotedValue.lastIndex = assignment.valueStart
  const groups = quotedValue.exec(text)?.indices?.groups
  const quoted = groups?.['escaped'] ?? groups?.['double'] ?? groups?.['single']
  if (quoted !== undefined) return { start: quoted[0], end: quoted[1], isQuoted: true }
  return isPath(text, assignment)
    ? undefined
    : (lineValue(text, assignment) ?? bareValueAt(text, assignment))
}

/** End of a value that was examined only in part: the next quote or blank. */
export function wholeValue(text: string, { start, end }: AssignedValue): number {
  return end - start < maxExamined ? end : runEnd(text, end, /[\s"'\x60<>,;&]|\\["'nrt]/g)
}

function bareValueAt(text: string, { valueStart }: Assignment): AssignedValue | undefined {
  bareValue.lastIndex = valueStart
  const [start, end] = bareValue.exec(text)?.indices?.[1] ?? [0, 0]
  // A function call is code.
  if (end === 0 || '(['.includes(text[end] ?? ' ')) return undefined
  return { start, end, isQuoted: false }
}

/** Text after a slash or a colon is part of a path. */
function isPath(text: string, { start, valueStart }: Assignment): boolean {
  return (
    /[:/]/.test(text[start - 1] ?? '') && /[^\s]:$/.test(text.slice(valueStart - 2, valueStart))
  )
}

const lineBeforeName =
  /(?:^|\n|\\[nr]|["'])[ \t]*(?:[0-9]{1,7}[\t:])?[+-]?[ \t]*(?:- )?(?:export |set |ENV |ARG )?[ \t]*$/
const lineSign = /^(?:[ \t]*=[ \t]*|:[ \t]+)$/
const upperName = /^[+-]?[A-Z][A-Z0-9_]*$/
const wordEnd = /[\s"'\x60]|\\{1,4}[nrt]/g
const endOfLine = /[ \t]{0,8}(?:[\r\n]|\\{1,4}[rn]|$|["'](?:[\s,}\]]|$))/y
const furtherPair = /[&;,][\w.-]{1,40}=/

/**
 * A value that extends to the next blank and may contain delimiters: in a shell or .env file, or where it is the only content
 * of the line.
 */
function lineValue(
  text: string,
  { name, start, end, valueStart, isBelow }: Assignment,
): AssignedValue | undefined {
  if (isBelow) return valueBelow(text, valueStart)
  const before = text.slice(Math.max(0, start - 32), start)
  if (!lineBeforeName.test(start <= 32 ? `\n${before}` : before)) return undefined
  const sign = text.slice(end, valueStart)
  if (!lineSign.test(sign)) return undefined
  const stop = valueStart + runEnd(text.slice(valueStart, valueStart + maxExamined), 0, wordEnd)
  if (stop - valueStart < minValue) return undefined
  if (sign === '=' && upperName.test(name)) return { start: valueStart, end: stop, isQuoted: false }
  endOfLine.lastIndex = stop
  const word = text.slice(valueStart, stop).replace(/[,;]+$/, '')
  if (stop - valueStart < maxExamined && !endOfLine.test(text)) return undefined
  const isPair = sign === '=' && furtherPair.test(word)
  if (word.length < minValue || isPair) return undefined
  return { start: valueStart, end: valueStart + word.length, isQuoted: false }
}

/** A value on the line below, without a comma, bracket or backslash at the end. */
function valueBelow(text: string, valueStart: number): AssignedValue | undefined {
  const line = text.slice(valueStart, valueStart + maxExamined)
  const word = line.slice(0, runEnd(line, 0, wordEnd)).replace(/[,;)\\]+$/, '')
  if (word.length < minValue) return undefined
  return { start: valueStart, end: valueStart + word.length, isQuoted: false }
}

const minValue = 6
