import { lineGap } from './line-forms.ts'

/** The left side of an assignment, and where its right side begins. */
export interface Assignment {
  readonly name: string
  /** Offsets of the name's ends, and of the first character behind the sign and its blanks. */
  readonly start: number
  readonly end: number
  readonly valueStart: number
}

// The name of a type between the name and the sign leaves enough for a value, or it is the value itself.
const valueFollows = String.raw`(?=\\{0,3}["'\x60]?[^\s"'\x60,;]{6})`
const operator = [
  String.raw`[ \t]{1,4}[A-Za-z]{1,20}[ \t]{1,4}=[ \t]{0,16}${valueFollows}`,
  String.raw`\\{0,3}["'\x60]?\]?[ \t]{0,32}(?::[ \t]{0,2}[A-Za-z]{1,20}(?:[ \t]{1,2}=(?=[ \t]{0,16}${valueFollows})|=(?=[ \t]{0,16}\\{0,3}["']))|=>|:{1,3}=|[|?.+]{1,2}=|[:=]|%3[dD])[ \t]{0,16}`,
  String.raw`\\{0,3}["']?,?${lineGap}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}`,
  String.raw`(?<call>\\{0,3}["'][ \t]{0,2},[ \t]{0,4}(?=\\{0,3}["'])|\([ \t]{0,4}(?=\\{0,3}["']))`,
  String.raw`["']?>${lineGap}(?=[^<>\s\\]{1,512}${lineGap}</)`,
].join('|')
const assignment = new RegExp(
  `(?<rest>(?:secret|token|passw(?:or)?d|passphrase|pwd(?!=/)|credential|creds|key|pass)[A-Za-z0-9_.-]{0,32})(?:${operator}|(?<space>[ \\t]{1,4}))`,
  'iy',
)
/** What is given to it is what is set: `define('AUTH_KEY', …)`, `setPassword(…)`, `.password(…)`. */
const isSetter = /^[A-Z0-9_.-]+$|(?:^|\.)(?:set|with)[A-Z_]\w*$|^\.\w+$/

/** The assignment whose name holds the word for a secret that stands at `at`. */
export function assignmentAt(text: string, at: number): Assignment | undefined {
  assignment.lastIndex = at
  const match = assignment.exec(text)
  if (match?.groups === undefined) return undefined
  const { rest = '', call, space } = match.groups
  const start = nameStart(text, at)
  if (space !== undefined && !text.startsWith('--', start)) return undefined
  const end = at + rest.length
  const name = text.slice(start, end)
  if (call !== undefined && !isSetter.test(name)) return undefined
  return { name, start, end, valueStart: at + match[0].length }
}

const longestName = 64

function nameStart(text: string, at: number): number {
  let first = at
  while (first > 0 && at - first < longestName && isNameCode(text.charCodeAt(first - 1))) first -= 1
  // The letter of an escaped line end is none of the name's.
  return text[first - 1] === '\\' && /[nrt]/.test(text[first] ?? '') && first < at
    ? first + 1
    : first
}

/** Letters, digits, `_`, `-` and `.` */
function isNameCode(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
}
