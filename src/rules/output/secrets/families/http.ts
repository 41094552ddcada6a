import { isPasswordPlaceholder, isPlaceholder } from '../assigned-secret.ts'
import { hasDigit, isMadeUp, isScrambled, isWordy } from '../randomness.ts'
import { byPattern, type RuleMatch, runEnd, type SecretRule } from '../secret-rule.ts'
import { tokenStart, withPrefix } from '../token.ts'

const start = new RegExp(`${tokenStart}eyJ`, 'y')

const outside = /[^A-Za-z0-9_-]/g

/** A JWE has five parts, of which the second may be empty; a JWT has three, of which the last may be empty. */
const maxParts = 5

const minHeader = 9

const minPayload = 6

const minTag = 8

/** JWTs and JWEs of any length. A header without a token after it is read once, even if it contains further `eyJ`. */
const jsonWebToken: SecretRule = {
  keywords: ['eyJ'],
  find(text, at, from) {
    if (at < from) return undefined
    start.lastIndex = at
    if (!start.test(text)) return undefined
    const ends = partEnds(text, at)
    const end = tokenEndOf(at, ends)
    return end === undefined ? { spans: [], end: ends[0] ?? at } : tokenAt(text, at, end)
  },
}

const isReal = (value: string): boolean => !isMadeUp(value) && !isPlaceholder(value)

/** Credentials in requests: tokens, headers, cookies, URLs, command lines. */
export const httpRules: readonly SecretRule[] = [
  jsonWebToken,
  // Base64 of `eyJ`.
  withPrefix('jwt', 'ZXlK', '[A-Za-z0-9+/_-]{60,4096}={0,2}'),
  byPattern(
    'connection-password',
    ['://'],
    // A slash ends the host, unless a host with a port follows: then it is part of the password.
    String.raw`://[^\s/:@"'<>[]{0,128}:([^\s/"'<>\x60]{1,256}(?=@[\w[$%{.-])|[^\s"'<>\x60]{1,256}(?=@[\w.-]{1,253}:[0-9]{1,5}(?!\w)))@`,
    {
      accept: (value) => !isUrlPlaceholder(value) && !/^[0-9]{1,5}[/?#,]/.test(value),
    },
  ),
  byPattern('url-credential', ['://'], '://([A-Za-z0-9_-]{20,255})@', {
    accept: (value) => isScrambled(value) && isReal(value),
  }),
  byPattern(
    'bearer-token',
    ['bearer '],
    '(?:bearer|BEARER|Bearer) {1,4}([A-Za-z0-9._~+/-]{16,4096}=*)',
    {
      accept: (value) => hasDigit(value) && isReal(value),
    },
  ),
  byPattern(
    'authorization',
    ['authorization'],
    String.raw`authorization\\{0,3}["']?[ \t]{0,4}(?::|=>?|,|%3A)[ \t]{0,4}\\{0,3}["']?(?:basic|token|apikey|api-?key|negotiate|digest|bearer|key|hmac|genieKey|bot|splunk|ssws)[ \t]{1,4}([^\s"'\\,<>]{8,4096})`,
    { flags: 'i', accept: isReal },
  ),
  byPattern(
    'cookie',
    ['cookie:'],
    String.raw`(?<!set-)cookie:[ \t]{0,4}([^\s=;"'\\]{1,128}=[^\r\n"'\\]{8,4096})`,
    { flags: 'i', accept: hasSession },
  ),
  byPattern(
    'cookie',
    ['set-cookie:'],
    String.raw`set-cookie:[ \t]{0,4}[^\s=;"']{1,128}=([^\s;"']{12,4096})`,
    { flags: 'i', accept: (value) => isReal(value) && isScrambled(value) },
  ),
  byPattern(
    'command-password',
    ['curl '],
    String.raw`(?<![A-Za-z0-9])curl [^\n]{0,512}?(?<=[ \t])(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,128}:([^\s"'\\]{3,256})`,
    { accept: isPassword },
  ),
  byPattern(
    'command-password',
    ['mysql', 'sshpass ', 'mariadb', 'docker login ', 'ldapsearch '],
    String.raw`(?<![A-Za-z0-9])(?:mysql\w{0,8}|mariadb\w{0,8}|sshpass|docker login|ldapsearch) [^\n]{0,256}?(?<=[ \t])-[pw][ ]?["']?([^\s"'\\-][^\s"'\\]{3,255})`,
    { accept: isPassword },
  ),
]

function isPassword(value: string): boolean {
  return !isMadeUp(value) && !isPasswordPlaceholder(value) && !/^\d{1,5}$/.test(value)
}

/** Whether a value of the cookie header looks random. */
function hasSession(value: string): boolean {
  const values = value.split(/;[ \t]*/).map((pair) => pair.slice(pair.indexOf('=') + 1))
  return values.some((one) => one.length >= 8 && isReal(one) && isScrambled(one))
}

/** Whether a password in a URL is a placeholder or a template's variable. */
function isUrlPlaceholder(value: string): boolean {
  if (/^\$[A-Za-z_]\w*$/.test(value)) return isWordy(value.slice(1))
  return /^(?:\$\{.*\}|\$\(.*\)|\$[0-9]|<.*>|\{[\w.$:-]*\}|\{\{.*\}\}|%\w+%|\*+|x+|\.{3}|…|\[[A-Za-z_ -]*\]|_+|your[a-z_-]*)$/i.test(
    value,
  )
}

function tokenAt(text: string, start: number, end: number): RuleMatch {
  const isMadeUp = /x{6}/i.test(text.slice(start, end))
  return { spans: isMadeUp ? [] : [{ start, end, kind: 'jwt' }], end }
}

/** Ends of the parts, which dots separate. */
function partEnds(text: string, at: number): readonly number[] {
  const ends = [runEnd(text, at, outside)]
  for (let end = ends[0] ?? at; text[end] === '.' && ends.length < maxParts; ) {
    end = runEnd(text, end + 1, outside)
    ends.push(end)
  }
  return ends
}

/** End of the token with these parts; undefined if they form none. */
function tokenEndOf(at: number, ends: readonly number[]): number | undefined {
  const lengths = ends.map((end, part) => end - (part === 0 ? at : (ends[part - 1] ?? at) + 1))
  const [header = 0, payload = 0, third = 0, fourth = 0, tag = 0] = lengths
  if (header < minHeader || lengths.length < 3) return undefined
  if (payload >= minPayload) {
    const empty = lengths.indexOf(0, 3)
    return empty === -1 ? ends.at(-1) : ends[empty - 1]
  }
  const isEncrypted = payload === 0 && third >= minTag && fourth > 0 && tag >= minTag
  return isEncrypted ? ends[4] : undefined
}
