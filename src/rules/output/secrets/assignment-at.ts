import { lineEnd, lineGap, lineMark } from './line-forms.ts'

/** The left side of an assignment, and the offset of its right side. */
export interface Assignment {
  readonly name: string
  /** Offsets of the name, and of the first character after the operator and its blanks. */
  readonly start: number
  readonly end: number
  readonly valueStart: number
  /** Whether the value is alone on the line below. */
  readonly isBelow: boolean
}

// A type name between name and operator is accepted only if enough for a value follows; otherwise it may be the value.
const valueFollows = String.raw`(?=\\{0,3}["'\x60]?[^\s"'\x60,;]{6})`
const closing = String.raw`\\{0,3}["'\x60]?\]?[ \t]{0,4}`
/** Ends of a line whose value is on the next one: YAML, JSON, a prompt, a continued command, a here-document. */
const lineOpener = [
  String.raw`${closing}:[ \t]{0,4}(?:[|>][-+]?[0-9]?|["'\x60(])?`,
  String.raw`${closing}(?:=>|:?=)[ \t]{0,4}(?:["'\x60(]{1,3}|\\)`,
  String.raw`(?:=["']?\$\([ \t]{0,4}cat)?[ \t]{0,4}<<-?[ \t]{0,2}\\?["']?\w{1,32}["']?`,
  String.raw`(?<continued>[ \t]{1,4}\\)`,
].join('|')
const below = String.raw`(?:${lineOpener})[ \t]{0,4}${lineEnd}(?:[ \t]{0,40}${lineEnd})?${lineMark}[ \t]{0,40}`
const aloneInLine = String.raw`(?=\\{0,3}["'\x60]?[^\s"'\x60]{6,512}\\{0,3}["'\x60]?[,;)]{0,2}(?:[ \t]{1,4}\\)?[ \t]{0,8}(?:[\r\n]|\\{1,4}[nr]|["']|$))`
const operator = [
  `(?<below>${below})${aloneInLine}`,
  String.raw`[ \t]{1,4}[A-Za-z]{1,20}[ \t]{1,4}=[ \t]{0,16}${valueFollows}`,
  String.raw`\\{0,3}["'\x60]?\]?[ \t]{0,32}(?::[ \t]{0,2}[A-Za-z]{1,20}(?:[ \t]{1,2}=(?=[ \t]{0,16}${valueFollows})|=(?=[ \t]{0,16}\\{0,3}["']))|=>|:{1,3}=|[|?.+]{1,2}=|[:=]|%3[dD])[ \t]{0,16}`,
  String.raw`\\{0,3}["']?,?${lineGap}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}`,
  String.raw`(?<call>\\{0,3}["'][ \t]{0,2},[ \t]{0,4}(?=\\{0,3}["'])|\([ \t]{0,4}(?=\\{0,3}["']))`,
  String.raw`["']?>${lineGap}(?=[^<>\s\\]{1,512}${lineGap}</)`,
].join('|')
const nameRest =
  '(?:secret|token|passw(?:or)?d|passphrase|pwd(?!=/)|credential|creds|key|pass)[A-Za-z0-9_.-]{0,32}'
const assignment = new RegExp(`(?<rest>${nameRest})(?:${operator}|(?<space>[ \\t]{1,4}))`, 'iy')
/** Calls whose argument is assigned: `define('AUTH_KEY', …)`, `setPassword(…)`, `.password(…)`. */
const isSetter = /^[A-Z0-9_.-]+$|(?:^|\.)(?:set|with)[A-Z_]\w*$|^\.\w+$/

/** The assignment whose name contains the keyword at `at`. */
export function assignmentAt(text: string, at: number): Assignment | undefined {
  assignment.lastIndex = at
  const match = assignment.exec(text)
  if (match?.groups === undefined) return undefined
  const { rest = '', call, space, below, continued } = match.groups
  const start = nameStart(text, at)
  if ((space ?? continued) !== undefined && !text.startsWith('--', start)) return undefined
  const end = at + rest.length
  const name = text.slice(start, end)
  if (call !== undefined && !isSetter.test(name)) return undefined
  // The kind in a redaction mark is not a name: `[redacted:queue-password]=…`.
  if (text.startsWith('[redacted:', start - 10)) return undefined
  return { name, start, end, valueStart: at + match[0].length, isBelow: below !== undefined }
}

const announced = new RegExp(`${nameRest}${below}$`, 'i')
const longestAnnouncement = 400

/** Whether the text ends where the value of a secret would begin. */
export function isAnnounced(text: string): boolean {
  return announced.test(text.slice(-longestAnnouncement))
}

const element = new RegExp(
  `(?<name>${nameRest}["']?>)${lineGap}[^<>\\s\\\\]{0,512}${lineGap}<?/?$`,
  'i',
)
const longestElement = 800

/** Start of the text of an element whose closing tag has not arrived; undefined if none is open at the end of the text. */
export function openElement(text: string): number | undefined {
  const from = Math.max(0, text.length - longestElement)
  const match = element.exec(text.slice(from))
  return match === null ? undefined : from + match.index + (match.groups?.['name']?.length ?? 0)
}

const longestName = 64

function nameStart(text: string, at: number): number {
  let first = at
  while (first > 0 && at - first < longestName && isNameCode(text.charCodeAt(first - 1))) first -= 1
  // The letter of an escaped line end does not belong to the name.
  return text[first - 1] === '\\' && /[nrt]/.test(text[first] ?? '') && first < at
    ? first + 1
    : first
}

/** Letters, digits, `_`, `-` and `.` */
function isNameCode(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
}
