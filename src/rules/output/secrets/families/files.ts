import { isPasswordPlaceholder } from '../assigned-secret.ts'
import { lineEnd, lineGap, lineMark } from '../line-forms.ts'
import { isMixedCase } from '../randomness.ts'
import { byPattern, runEnd, type SecretRule } from '../secret-rule.ts'
import { tokenEnd } from '../token.ts'

/** Base64 of `-----BEGIN `, as far as the following text does not affect it. */
const begin = 'LS0tLS1CRUdJTi'

const outside = /[^A-Za-z0-9+/]/g

/** Line lengths of the `base64` program. */
const widths: ReadonlySet<number> = new Set([64, 76])

const nextLine = new RegExp(String.raw`${lineEnd}${lineMark}[ \t]{0,40}(?=[A-Za-z0-9+/])`, 'y')

/** Private keys in PEM within base64, as in Kubernetes or printed by `base64 key.pem`. */
const encodedPrivateKey: SecretRule = {
  keywords: [begin],
  find(text, at, from) {
    if (at < from) return undefined
    const { end, content } = encodedAt(text, at)
    if (!isPrivate(content)) return { spans: [], end }
    return { spans: [{ start: at, end, kind: 'private-key' }], end }
  },
}

const isReal = (value: string): boolean =>
  !isPasswordPlaceholder(value) && !/^(?:[{<]|\$[A-Za-z_{(])/.test(value)

/** Files that contain only credentials: .netrc, .pgpass, docker's configuration, shadow, kubeconfig. */
export const fileRules: readonly SecretRule[] = [
  encodedPrivateKey,
  byPattern(
    'netrc-password',
    ['login '],
    String.raw`login[ \t]{1,8}[^\s\\]{1,256}(?=[\s\\])${lineGap}(?:account\s{1,8}\S{1,256}(?=[\s\\])${lineGap})?password[ \t]{1,8}([^\s"'\\]{3,512})`,
    { accept: isReal },
  ),
  byPattern(
    'pgpass-password',
    [':5432:', ':5433:', ':5434:', ':6432:', ':3306:', ':*:'],
    String.raw`(?<=(?:^|[\n\t]|\\n|["'])[^\s:"'\\]{1,255}):(?:[0-9]{4}|\*):[^\s:"'\\]{1,64}:[^\s:"'\\]{1,64}:([^\s:"'\\]{4,256})(?=[\s"'\\]|$)`,
    { accept: (value) => isReal(value) && /[A-Za-z0-9]/.test(value) },
  ),
  byPattern(
    'docker-auth',
    ['"auth"', '"auth\\'],
    String.raw`"auth\\{0,4}"[ \t]{0,4}:[ \t]{0,4}\\{0,4}"([A-Za-z0-9+/]{8,65536}={0,2})\\{0,4}"`,
    { accept: isNameAndPassword },
  ),
  byPattern(
    'docker-auth',
    ['"identitytoken', '"registrytoken'],
    String.raw`"(?:identitytoken|registrytoken)\\{0,4}"[ \t]{0,4}:[ \t]{0,4}\\{0,4}"([A-Za-z0-9+/._-]{8,65536}={0,2})\\{0,4}"`,
  ),
  byPattern(
    'password-hash',
    [
      ':$1$',
      ':$5$',
      ':$6$',
      ':$y$',
      ':$7$',
      ':$2a$',
      ':$2b$',
      ':$2y$',
      ':$gy$',
      ':$apr1$',
      ':$argon2',
    ],
    String.raw`:(\$[A-Za-z0-9-]{1,12}\$[A-Za-z0-9./$=,+-]{8,512})`,
  ),
  byPattern(
    'password-hash',
    ['$2a$', '$2b$', '$2y$'],
    String.raw`\$2[aby]\$[0-9]{2}\$[A-Za-z0-9./]{53}`,
  ),
  byPattern(
    'password-hash',
    ['$argon2'],
    String.raw`\$argon2(?:id|i|d)\$[A-Za-z0-9./$=,+-]{20,512}`,
  ),
  byPattern('password-hash', ['$apr1$'], String.raw`\$apr1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}`),
  byPattern(
    'password-hash',
    ['$6$', '$5$', '$y$'],
    String.raw`\$(?:[56]|y)\$(?:rounds=[0-9]{1,9}\$)?[A-Za-z0-9./$]{1,64}\$[A-Za-z0-9./]{40,90}`,
  ),
  byPattern(
    'password-hash',
    ['{SSHA', '{SHA}', '{SMD5'],
    String.raw`\{(?:SSHA(?:256|384|512)?|SHA|SMD5)\}[A-Za-z0-9+/]{20,128}={0,2}`,
  ),
  byPattern(
    'password-hash',
    ['pbkdf2_sha', 'pbkdf2:sha', 'scrypt:'],
    String.raw`(?:pbkdf2[_:]sha[0-9]{1,3}[$:]|scrypt:)[0-9:]{1,24}\$[A-Za-z0-9+/=]{4,64}\$[A-Za-z0-9+/=]{20,256}`,
  ),
  byPattern(
    'client-key-data',
    ['client-key-data'],
    String.raw`client-key-data"?:[ \t]{0,4}["']?([A-Za-z0-9+/]{40,16384}={0,2})`,
  ),
  byPattern(
    'wireguard-key',
    ['privatekey', 'presharedkey'],
    String.raw`(?:PrivateKey|PresharedKey)[ \t]{0,4}=[ \t]{0,4}([A-Za-z0-9+/]{43}=)`,
  ),
  byPattern('age-key', ['AGE-SECRET-KEY-'], `AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,4096}${tokenEnd}`),
  byPattern('age-key', ['AGE-PLUGIN-'], `AGE-PLUGIN-[A-Z0-9]{1,32}-1[A-Z0-9]{20,4096}${tokenEnd}`),
  byPattern(
    'putty-key',
    ['private-lines:'],
    `Private-Lines: [0-9]{1,4}${lineEnd}((?:${lineMark}[A-Za-z0-9+/=]{1,80}${lineEnd}){1,256}${lineMark}(?:Private-MAC: [0-9a-fA-F]{40,64})?)`,
  ),
  byPattern(
    'jwk-key',
    ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((name) => [`"${name}"`, `"${name}\\`]),
    String.raw`"(?:d|k|p|q|dp|dq|qi)\\{0,4}"[ \t]{0,4}:[ \t]{0,4}\\{0,4}"([A-Za-z0-9_-]{32,16384})\\{0,4}"`,
    { accept: isMixedCase },
  ),
  byPattern(
    'rsa-xml-key',
    ['<d>', '<p>', '<q>', '<dp>', '<dq>', '<inverseq>'],
    '<(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/]{20,16384}={0,2})</',
  ),
  byPattern(
    'minisign-key',
    ['secret key\n', 'secret key\r'],
    String.raw`secret key\r?\n(RW[A-Za-z0-9+/]{60,300}={0,2})`,
  ),
]

/** Docker stores `name:password` in base64. */
function isNameAndPassword(value: string): boolean {
  return /^[^\p{Cc}:]+:\P{Cc}+$/u.test(Buffer.from(value, 'base64').toString('latin1'))
}

function isPrivate(content: string): boolean {
  return Buffer.from(content, 'base64').includes('PRIVATE KEY')
}

/** Base64 on one line, or on lines of equal length except the last. */
function encodedAt(text: string, at: number): { readonly end: number; readonly content: string } {
  let end = runEnd(text, at, outside)
  const width = end - at
  const lines = [text.slice(at, end)]
  for (let isFull = widths.has(width); isFull; ) {
    nextLine.lastIndex = end
    const gap = nextLine.exec(text)?.[0].length ?? 0
    if (gap === 0) break
    const next = runEnd(text, end + gap, outside)
    if (next - end - gap > width) break
    lines.push(text.slice(end + gap, next))
    isFull = next - end - gap === width
    end = next
  }
  return { end: runEnd(text, end, /[^=]/g), content: lines.join('') }
}
