import { hasDigit, isMadeUp, isPlaceholder, isScrambled } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import { tokenStart } from '../token.ts'

const isReal = (value: string): boolean => !isMadeUp(value) && !isPlaceholder(value)

/** What travels with requests: tokens, headers, cookies, URLs with credentials, command lines. */
export const httpRules: readonly SecretRule[] = [
  byPattern(
    'jwt',
    ['eyJ'],
    String.raw`${tokenStart}eyJ[A-Za-z0-9_-]{6,8192}\.(?:[A-Za-z0-9_-]{6,8192}\.[A-Za-z0-9_-]{0,8192}(?:\.[A-Za-z0-9_-]{1,8192}){0,2}|\.[A-Za-z0-9_-]{8,64}\.[A-Za-z0-9_-]{1,8192}\.[A-Za-z0-9_-]{8,64})`,
    { accept: (value) => !/x{6}/i.test(value) },
  ),
  byPattern(
    'connection-password',
    ['://'],
    String.raw`://[^\s/:@"'<>[]{0,128}:([^\s/"'<>\x60]{1,256})@(?=[\w[$%{.-])`,
    {
      accept: (value) => !isStandIn(value) && !/^[0-9]{1,5}[?#,]/.test(value),
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
    { accept: (value) => isReal(value) && !/^\d{1,5}$/.test(value) },
  ),
  byPattern(
    'command-password',
    ['mysql', 'sshpass ', 'mariadb', 'docker login ', 'ldapsearch '],
    String.raw`(?<![A-Za-z0-9])(?:mysql\w{0,8}|mariadb\w{0,8}|sshpass|docker login|ldapsearch) [^\n]{0,256}?(?<=[ \t])-[pw][ ]?["']?([^\s"'\\-][^\s"'\\]{3,255})`,
    { accept: (value) => isReal(value) && !/^\d{1,5}$/.test(value) },
  ),
]

/** Of the pairs of a cookie header one is no word. */
function hasSession(value: string): boolean {
  const values = value.split(/;[ \t]*/).map((pair) => pair.slice(pair.indexOf('=') + 1))
  return values.some((one) => one.length >= 8 && isReal(one) && isScrambled(one))
}

/** Also what common templates write between the colon and the host. */
function isStandIn(value: string): boolean {
  return /^(?:\$.*|<.*>|\{.*\}|%.*%|\*+|x+|\.{3}|…|\[.*\]|_+|your[\w-]*)$/i.test(value)
}
