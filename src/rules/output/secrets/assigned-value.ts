import type { Assignment } from './assignment-at.ts'
import { runEnd } from './run-end.ts'

/** The right side of an assignment. */
export interface AssignedValue {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

/** A value without quotes is judged by so many UTF-16 units: the rest of a longer one is of the same kind. */
const judged = 512
/** In quotes, another value cannot begin before this one ends: each is read once. */
const quotedValue = new RegExp(
  [
    String.raw`\\{1,3}(?:["'])(?<escaped>[^"'\\\s]{6,65536})(?=\\{0,3}["'])`,
    String.raw`"(?<double>(?:[^"\\\s]|\\[^nr\s]){6,65536})"`,
    String.raw`'(?<single>(?:[^'\\\s]|\\[^nr\s]){6,65536})'`,
  ].join('|'),
  'dy',
)
const bareValue = new RegExp(
  String.raw`[>"'\x60]?((?:[^\s"'\x60,;()<>{}[\]&\\]|&(?![\w.-]{1,40}=)|\\(?!["'nrt])){6,${judged}})`,
  'dy',
)

/** The value of an assignment, in quotes, to the end of its line, or as far as nothing ends it. */
export function valueAt(text: string, assignment: Assignment): AssignedValue | undefined {
  quotedValue.lastIndex = assignment.valueStart
  const groups = quotedValue.exec(text)?.indices?.groups
  const quoted = groups?.['escaped'] ?? groups?.['double'] ?? groups?.['single']
  if (quoted !== undefined) return { start: quoted[0], end: quoted[1], isQuoted: true }
  return isPath(text, assignment)
    ? undefined
    : (lineValue(text, assignment) ?? bare(text, assignment))
}

/** A value as long as is judged goes on to the next quote or blank. */
export function wholeValue(text: string, { start, end }: AssignedValue): number {
  return end - start < judged ? end : runEnd(text, end, /[\s"'\x60<>,;&]|\\["'nrt]/g)
}

function bare(text: string, { valueStart }: Assignment): AssignedValue | undefined {
  bareValue.lastIndex = valueStart
  const [start, end] = bareValue.exec(text)?.indices?.[1] ?? [0, 0]
  // What calls a function is code.
  if (end === 0 || '(['.includes(text[end] ?? ' ')) return undefined
  return { start, end, isQuoted: false }
}

/** What follows a slash or a colon is part of a path. */
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
 * In a line of its own a value goes on to the next blank, whatever stands in it: in a shell or an .env file, and elsewhere
 * where nothing but it stands in the line.
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
  const stop = valueStart + runEnd(text.slice(valueStart, valueStart + judged), 0, wordEnd)
  if (stop - valueStart < leastValue) return undefined
  if (sign === '=' && upperName.test(name)) return { start: valueStart, end: stop, isQuoted: false }
  endOfLine.lastIndex = stop
  const word = text.slice(valueStart, stop).replace(/[,;]+$/, '')
  if (stop - valueStart < judged && !endOfLine.test(text)) return undefined
  const isPair = sign === '=' && furtherPair.test(word)
  if (word.length < leastValue || isPair) return undefined
  return { start: valueStart, end: valueStart + word.length, isQuoted: false }
}

/** What closes the line is none of the value: a comma, a bracket, the backslash of a command that goes on. */
function valueBelow(text: string, valueStart: number): AssignedValue | undefined {
  const line = text.slice(valueStart, valueStart + judged)
  const word = line.slice(0, runEnd(line, 0, wordEnd)).replace(/[,;)\\]+$/, '')
  if (word.length < leastValue) return undefined
  return { start: valueStart, end: valueStart + word.length, isQuoted: false }
}

const leastValue = 6
