import { type AssignedValue, valueAt, wholeValue } from './assigned-value.ts'
import { assignmentAt } from './assignment-at.ts'
import { entropy, hasDigit, isGitHash, isMixedCase, isUuid, isWordy } from './randomness.ts'
import type { SecretRule } from './secret-rule.ts'
import { isServiceKey } from './service-names.ts'

const references = [
  /^(?:<.*>|\[.*\]|\{.*\}|%.*%|__.*__|@.*@)$/s,
  /\$\{|\{\{|<%|#\{|\$\([\w./-]{0,64}(?:\)|$)|%\(\w{1,64}\)[a-z]/,
  /^\$[A-Za-z_]\w*(?:$|->|-$|::|\[|\.)|^%[a-zA-Z]$|^:\w+$/,
  /^(?:process\.env|os\.environ|os\.getenv|import\.meta|env\.|secrets\.|vars\.|config\.|settings\.|this\.|self\.|System\.|ENV\[)/,
  /^(.)\1*$/s,
  /^(?:0?123456789|abcdef|qwerty)[a-z0-9]{0,8}$/i,
]

const words = [
  /x{4}|X{4}|\*{3}|\.{3}|…|•{3}|_{4}|-{4}|#{4}|\?{3}/,
  /(?:^|[^a-z])(?:your|example|placeholder|change-?_?me|replace-?_?me|insert|dummy|redacted|todo|fixme)(?:[^a-z]|$)/i,
  /(?:[^A-Za-z](?:[Hh]ere|HERE|[Gg]oes|GOES)|[a-z](?:Here|Goes)|[A-Z]{3}(?:HERE|GOES))$/,
]

const filler = /^(?:[xX]{3,}|\*{3,}|\.{3,}|…+|•{3,}|_{3,}|-{3,}|#{3,}|\?{3,})[0-9]{0,2}$/

const fillerWord =
  /^(?:your|my|the|an?|example|sample|placeholder|change|replace|with|to|me|this|insert|dummy|redacted|todo|fixme|please|some|enter|super|strong|secure|secret|password|passwd|passphrase|pass|pw|pwd|db|database|user|admin|root|app|value|token|key|here|goes|it)$/

const placeholderWord =
  /your|example|sample|placeholder|change|replace|insert|dummy|redacted|todo|fixme|here|goes/

const longestPlaceholder = 80

/** Endings of names that describe a secret but do not contain one. */
const metadataName = new RegExp(
  `(?:${anyOf(`
    names? types? counts? limits? lengths? size expir[a-z]* ttl ur[li]s? paths? files? dirs? refs? arn
    versions? algorithms? alg hash policy scopes? formats? prefix suffix headers? fields? columns? labels?
    titles? descriptions? status placeholders? hints? regex patterns? time date issuer endpoint hosts? provider
    class method usage rotation rules? errors? messages? ids? izer kind index lifetime timeout store manager map
    list set used budget checksum digest fingerprint sha[0-9]* _at per_[a-z]+ help text tests? encryption
    encoding encode mgr commit revision rev tree`)})$`,
)

/** Names of counters, cursors, public values and digests. */
const publicName = new RegExp(
  `(?:^|[_. -])(?:${anyOf(`
    next page continuation sync cursor delta resume public pub publishable anon primary foreign partition sort
    cache idempotency object row map json dict hot short group lookup commit checksum integrity fingerprint
    thumbprint digest sha[0-9]* md5 etag max min num total prompt completion input output bos eos pad unk
    mask`)})(?:_?access|_?start|_?change|_?sync)?[_. -]?(?:tokens?|keys?|secrets?)$`,
)

const passwordName = /passw(?:or)?d|passphrase|pwd|(?:^|[_. -])(?:pass|pw)$/

const secretName = /secret|token|credential|creds|_auth$/

/** A key is secret only with one of these words before it. */
const secretKeyName = new RegExp(
  `(?:${anyOf(`
    api access private secret encrypt(?:ion)? decrypt(?:ion)? sign(?:ing)? master account shared auth licen[sc]e
    service app application session hmac jwt crypto? cipher storage deploy webhook rsa ssh ssl tls aes admin
    server client root ingest integration subscription functions? project cookie security developer dev prod
    live bot org team user write read personal datadog dd heroku cloudflare algolia stripe twilio openai
    anthropic azure aws gcp google`)})[_. -]?key(?:_?base)?$`,
)

const memberOf = /^!*[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+!?$/

const named = /^\w{0,64}(?:passw|pwd|secret|token)\w{0,64}$/i

const called = /^!*[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*[?!]?\.?[([{]/

const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Letters, digits and the punctuation of generated secrets (Django, password generators), without characters typical of
 * templates.
 */
const characters = /^[\w!@#$%^&*()=+-]{40,128}$/

const minSigns = 4

const minEntropy = 4.3

/**
 * Finds a secret by the name it is assigned to (`DB_PASSWORD=…`, `"apiKey": "…"`, `<token>…</token>`), if its value looks
 * random. The only rule that uses entropy.
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
    const assignment = assignmentAt(text, at)
    if (assignment === undefined || isOfChecksum(text, assignment.start)) return undefined
    const kind = nameKind(assignment.name)
    const found = kind === 'none' ? undefined : valueAt(text, assignment)
    if (kind === 'none' || found === undefined) return undefined
    const { start } = found
    const { name, isBelow } = assignment
    const isOther = isBelow && !found.isQuoted && isOtherLine.test(text.slice(start, found.end))
    if (isOther || !looksSecret(name, kind, found, text)) return { spans: [], end: start }
    const end = wholeValue(text, found)
    return { spans: [{ start, end, kind: 'assigned-secret' }], end }
  },
}

/** A word without a digit, a name, or an assignment: if a name has no value, the line below it is unrelated. */
const isOtherLine = /^[^0-9]*$|:$|^[A-Za-z_][\w.-]*=[^=]/

/** `checksum/secret: …`, an annotation that Helm adds to pods. */
function isOfChecksum(text: string, nameStart: number): boolean {
  return /(?:checksum|digest|hash|sha[0-9]{1,3})\/$/i.test(
    text.slice(Math.max(0, nameStart - 10), nameStart),
  )
}

function looksSecret(
  name: string,
  kind: 'password' | 'secret',
  { start, end, isQuoted }: AssignedValue,
  text: string,
): boolean {
  const value = text.slice(start, end)
  if (isQuoted && isGeneratedKey(value)) return true
  if (kind === 'password' ? isPasswordPlaceholder(value) : isPlaceholder(value)) return false
  if (isServiceKey(name.toLowerCase(), value)) return true
  if (isUuid(value)) return false
  if (isGitHash(value)) return !/^(?:token|key)s?$/i.test(name)
  if (isElsewhere.test(value)) return false
  if (isQuoted ? isLabel.test(value) : isCode(value)) return false
  if (kind === 'password') return isPassword(value)
  if (!/[A-Za-z]/.test(value) || !(hasDigit(value) || isScramble(value, 20))) return false
  return value.length >= 12 && entropy(value) >= 3 && !isWordy(value)
}

/** A path, a URL, a digest, a data URL, or the name of a service account's Secret. */
const isElsewhere =
  /^(?:[.~]?\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/|sha(?:1|256|384|512)[-:]|data:|[a-z0-9-]{1,63}-token-[a-z0-9]{5}$)/

/** Label of a required field in a form. */
const isLabel = /^\p{L}+[*?]$/u

function isPassword(text: string): boolean {
  if (!/[A-Za-z]/.test(text) || entropy(text) < 2.25) return false
  return /[0-9!#$%^&*+=~?|@]/.test(text) || isScramble(text, 10)
}

/** Without digits, only length and mixed case distinguish a secret from words. */
function isScramble(text: string, least: number): boolean {
  return text.length >= least && isMixedCase(text) && !isWordy(text)
}

/** A long random text with many kinds of punctuation, which may look like a reference (`$(x)`, `%…%`) or like separate words. */
function isGeneratedKey(value: string): boolean {
  if (!characters.test(value)) return false
  const signs = new Set(value.replace(/[\w-]/g, ''))
  return signs.size >= minSigns && entropy(value) >= minEntropy
}

/** A variable, a member access, a call, a YAML tag, or a passwd line without a hash. */
function isCode(value: string): boolean {
  if ((memberOf.test(value) || named.test(value)) && isWordy(value)) return true
  if (called.test(value) && (/[([{,]$/.test(value) || isExpression(value))) return true
  if (/^![A-Za-z]+$/.test(value)) return true
  return /^[\w-]+:[x*!]?:[0-9]*:/.test(value)
}

/** Brackets are balanced, no word directly follows one, and there is no character that expressions lack. */
function isExpression(value: string): boolean {
  if (/[)\]]\w|[#@^~]|\w!\w/.test(value)) return false
  const open: string[] = []
  for (const character of value) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return false
  }
  return open.length === 0
}

/** What a name says about the assigned value. */
type NameKind = 'password' | 'secret' | 'none'

/** Classifies the name on the left of an assignment. */
function nameKind(name: string): NameKind {
  const words = toSnakeCase(name).replace(/[0-9]+$/, '')
  if (metadataName.test(words) || publicName.test(words)) return 'none'
  if (passwordName.test(words)) return 'password'
  return secretName.test(words) || secretKeyName.test(words) ? 'secret' : 'none'
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

function anyOf(words: string): string {
  return words.trim().split(/\s+/).join('|')
}

/** Whether a text stands in for a secret: in documentation, templates, or code that reads it from elsewhere. */
export function isPlaceholder(value: string): boolean {
  return isReference(value) || words.some((form) => form.test(value))
}

/** As `isPlaceholder`, but passwords may contain words too: all parts must be typical of placeholders. */
export function isPasswordPlaceholder(value: string): boolean {
  if (isReference(value) || filler.test(value)) return true
  if (value.length > longestPlaceholder) return false
  const parts = value
    .replace(/[0-9]{0,4}[!.]?$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/changeme/, 'change_me')
    .replace(/replaceme/, 'replace_me')
    .split(/[-_. ]+/)
    .filter((part) => part !== '')
  return (
    parts.every((part) => fillerWord.test(part)) && parts.some((part) => placeholderWord.test(part))
  )
}

function isReference(value: string): boolean {
  return references.some((form) => form.test(value))
}
