import { nameKind } from './assigned-name.ts'
import { lineGap } from './line-forms.ts'
import {
  entropy,
  hasDigit,
  isGitHash,
  isMixedCase,
  isPlaceholder,
  isUuid,
  isWordy,
} from './randomness.ts'
import type { SecretRule } from './secret-rule.ts'
import { isServiceKey } from './service-names.ts'

/** A value on the right of an assignment, and how it stood there. */
interface Assigned {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

const operator = [
  String.raw`[ \t]{1,4}[A-Za-z]{1,20}[ \t]{1,4}=[ \t]{0,16}`,
  String.raw`\\{0,3}["'\x60]?\]?[ \t]{0,32}(?::[ \t]{0,2}[A-Za-z]{1,20}[ \t]{0,2}=|=>|:{1,3}=|[|?.+]{1,2}=|[:=]|%3[dD])[ \t]{0,16}`,
  String.raw`\\{0,3}["']?,?${lineGap}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}`,
  String.raw`(?<call>\\{0,3}["'][ \t]{0,2},[ \t]{0,4}(?=\\{0,3}["'])|\([ \t]{0,4}(?=\\{0,3}["']))`,
  String.raw`["']?>${lineGap}(?=[^<>\s\\]{1,512}${lineGap}</)`,
].join('|')
const value = [
  String.raw`\\{1,3}(["'])(?<escaped>[^"'\\\s]{6,512})(?=\\{0,3}["'])`,
  String.raw`"(?<double>(?:[^"\\\s]|\\[^nr\s]){6,512})"`,
  String.raw`'(?<single>(?:[^'\\\s]|\\[^nr\s]){6,512})'`,
  String.raw`[>"'\x60]?(?<bare>(?:[^\s"'\x60,;()<>{}[\]&\\]|&(?![\w.-]{1,40}=)|\\(?!["'nrt])){6,512})`,
].join('|')
const assignment = new RegExp(
  `(?<rest>(?:secret|token|passw(?:or)?d|passphrase|pwd(?!=/)|credential|creds|key|pass)[A-Za-z0-9_.-]{0,32})(?:${operator}|(?<space>[ \\t]{1,4}))(?:${value})`,
  'diy',
)

/**
 * A secret by the name it is assigned to (`DB_PASSWORD=…`, `"apiKey": "…"`, `<token>…</token>`), when its value looks
 * random. It is the only rule that judges by entropy.
 */
export const assignedSecret: SecretRule = {
  keywords: [
    'secret',
    'token',
    'passw',
    'passphrase',
    'pwd',
    'credential',
    'creds',
    'key',
    'pass=',
    'pass:',
    'pass"',
    "pass'",
  ],
  find(text, at, from) {
    if (at < from) return undefined
    const found = assignedAt(text, at)
    if (found === undefined) return undefined
    const { start, end } = found
    if (!looksSecret(found, text.slice(start, end))) return { spans: [], end: start }
    return { spans: [{ start, end, kind: 'assigned-secret' }], end }
  },
}

function assignedAt(text: string, at: number): Assigned | undefined {
  assignment.lastIndex = at
  const match = assignment.exec(text)
  const groups = match?.indices?.groups
  if (match === null || groups === undefined) return undefined
  const first = nameStart(text, at)
  if (match.groups?.['space'] !== undefined && !text.startsWith('--', first)) return undefined
  const name = text.slice(first, groups['rest']?.[1])
  if (match.groups?.['call'] !== undefined && !isSetter.test(name)) return undefined
  const quoted = groups['escaped'] ?? groups['double'] ?? groups['single']
  if (quoted !== undefined) return { name, start: quoted[0], end: quoted[1], isQuoted: true }
  const [start, end] = groups['bare'] ?? [0, 0]
  return endOfBare(text, { name, start, end, isQuoted: false }, first)
}

/** What is given to it is what is set: `define('AUTH_KEY', …)`, `setPassword(…)`, `.password(…)`. */
const isSetter = /^[A-Z0-9_.-]+$|(?:^|\.)(?:set|with)[A-Z_]\w*$|^\.\w+$/

const longestName = 64

function nameStart(text: string, at: number): number {
  let first = at
  while (first > 0 && at - first < longestName && isNameCode(text.charCodeAt(first - 1))) first -= 1
  return first
}

/** Letters, digits, `_`, `-` and `.` */
function isNameCode(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
}

const lineBeforeName = /\n[ \t]*(?:[0-9]{1,7}[\t:])?[+-]?[ \t]*(?:export |set |ENV |ARG )?[ \t]*$/
const upperName = /^[+-]?[A-Z][A-Z0-9_]*$/
const restOfWord = /[^\s"'\x60]*/y

/**
 * What calls a function is code, and what follows a slash or a colon is part of a path. In a line of a shell or of an .env file the value goes on to the next blank, whatever
 * stands in it.
 */
function endOfBare(text: string, found: Assigned, first: number): Assigned | undefined {
  const before = text.slice(Math.max(0, first - 32), first)
  if (/[:/]$/.test(before) && /[^\s]:$/.test(text.slice(found.start - 2, found.start)))
    return undefined
  const isLine =
    upperName.test(found.name) && lineBeforeName.test(first < 32 ? `\n${before}` : before)
  if (isLine && text[found.start - 1] === '=') {
    restOfWord.lastIndex = found.end
    const rest = restOfWord.exec(text)?.[0].length ?? 0
    return { ...found, end: found.end + Math.min(rest, 512) }
  }
  return '(['.includes(text[found.end] ?? ' ') ? undefined : found
}

const memberOf = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+!?$/

function looksSecret({ name, isQuoted }: Assigned, text: string): boolean {
  const kind = nameKind(name)
  if (kind === 'none' || isPlaceholder(text)) return false
  if (isServiceKey(name.toLowerCase(), text)) return true
  if (isUuid(text)) return false
  if (isGitHash(text)) return !/^(?:token|key)s?$/i.test(name)
  if (/^(?:[.~]?\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/|sha(?:1|256|384|512)[-:]|data:)/.test(text))
    return false
  if (!isQuoted && isCode(text)) return false
  if (kind === 'password') return isPassword(text)
  if (!/[A-Za-z]/.test(text) || !(hasDigit(text) || isScramble(text, 20))) return false
  return text.length >= 12 && entropy(text) >= 3 && !isWordy(text)
}

function isPassword(text: string): boolean {
  if (!/[A-Za-z]/.test(text) || entropy(text) < 2.25) return false
  return /[0-9!#$%^&*+=~?|@]/.test(text) || isScramble(text, 10)
}

/** Without a digit only length and both cases in turn tell a secret from words. */
function isScramble(text: string, least: number): boolean {
  return text.length >= least && isMixedCase(text) && !isWordy(text)
}

/** A variable, a member of one, or the line of an account without its hash. */
function isCode(text: string): boolean {
  if (memberOf.test(text) && isWordy(text)) return true
  return /^\w*(?:passw|pwd|secret|token)\w*$/i.test(text) || /^[\w-]+:[x*!]?:[0-9]*:/.test(text)
}
