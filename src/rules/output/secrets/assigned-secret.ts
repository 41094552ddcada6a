import { type AssignedValue, valueAt, wholeValue } from './assigned-value.ts'
import { assignmentAt } from './assignment-at.ts'
import { isPasswordPlaceholder, isPlaceholder } from './placeholders.ts'
import { entropy, hasDigit, isGitHash, isMixedCase, isUuid, isWordy } from './randomness.ts'
import type { SecretRule } from './secret-rule.ts'
import { isServiceKey } from './service-names.ts'

/** Names that end so tell something about a secret, not the secret. */
const about = new RegExp(
  `(?:${anyOf(`
    names? types? counts? limits? lengths? size expir[a-z]* ttl ur[li]s? paths? files? dirs? refs? arn
    versions? algorithms? alg hash policy scopes? formats? prefix suffix headers? fields? columns? labels?
    titles? descriptions? status placeholders? hints? regex patterns? time date issuer endpoint hosts? provider
    class method usage rotation rules? errors? messages? ids? izer kind index lifetime timeout store manager map
    list set used budget checksum digest fingerprint sha[0-9]* _at per_[a-z]+ help text tests? encryption
    encoding encode mgr commit revision rev tree`)})$`,
)

/** What is counted, walked through, published or derived. */
const harmless = new RegExp(
  `(?:^|[_. -])(?:${anyOf(`
    next page continuation sync cursor delta resume public pub publishable anon primary foreign partition sort
    cache idempotency object row map json dict hot short group lookup commit checksum integrity fingerprint
    thumbprint digest sha[0-9]* md5 etag max min num total prompt completion input output bos eos pad unk
    mask`)})(?:_?access|_?start|_?change|_?sync)?[_. -]?(?:tokens?|keys?|secrets?)$`,
)

const password = /passw(?:or)?d|passphrase|pwd|(?:^|[_. -])(?:pass|pw)$/

const secret = /secret|token|credential|creds|_auth$/

/** Keys are secret by the word before them alone. */
const secretKey = new RegExp(
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

/** Letters, digits and the signs with which Django and password generators mix them; none that templates are made of. */
const characters = /^[\w!@#$%^&*()=+-]{40,128}$/

const leastSigns = 4

const leastEntropy = 4.3

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

/** A word without a digit, a name, or an assignment: below a name without a value stands what follows it. */
const isOtherLine = /^[^0-9]*$|:$|^[A-Za-z_][\w.-]*=[^=]/

/** `checksum/secret: …`, as Helm annotates pods. */
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

/** A path, an address, a digest, data, or the Secret that Kubernetes made for a service account. */
const isElsewhere =
  /^(?:[.~]?\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/|sha(?:1|256|384|512)[-:]|data:|[a-z0-9-]{1,63}-token-[a-z0-9]{5}$)/
/** What a form calls a field that must be filled in. */
const isLabel = /^\p{L}+[*?]$/u

function isPassword(text: string): boolean {
  if (!/[A-Za-z]/.test(text) || entropy(text) < 2.25) return false
  return /[0-9!#$%^&*+=~?|@]/.test(text) || isScramble(text, 10)
}

/** Without a digit only length and both cases in turn tell a secret from words. */
function isScramble(text: string, least: number): boolean {
  return text.length >= least && isMixedCase(text) && !isWordy(text)
}

/** A long random text with many signs: some of these look like a reference (`$(x)`, `%…%`) or like words between signs. */
function isGeneratedKey(value: string): boolean {
  if (!characters.test(value)) return false
  const signs = new Set(value.replace(/[\w-]/g, ''))
  return signs.size >= leastSigns && entropy(value) >= leastEntropy
}

/** A variable, a member of one, a call, a tag of YAML, or the line of an account without its hash. */
function isCode(value: string): boolean {
  if ((memberOf.test(value) || named.test(value)) && isWordy(value)) return true
  if (called.test(value) && (/[([{,]$/.test(value) || isExpression(value))) return true
  if (/^![A-Za-z]+$/.test(value)) return true
  return /^[\w-]+:[x*!]?:[0-9]*:/.test(value)
}

/** Each bracket is closed, no word begins directly behind one, and no sign stands there that expressions have not. */
function isExpression(value: string): boolean {
  if (/[)\]]\w|[#@^~]|\w!\w/.test(value)) return false
  const open: string[] = []
  for (const character of value) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return false
  }
  return open.length === 0
}

/** How a name speaks of what is assigned to it. */
type NameKind = 'password' | 'secret' | 'none'

/** What the name on the left of an assignment promises of the value. */
function nameKind(name: string): NameKind {
  const words = toSnakeCase(name).replace(/[0-9]+$/, '')
  if (about.test(words) || harmless.test(words)) return 'none'
  if (password.test(words)) return 'password'
  return secret.test(words) || secretKey.test(words) ? 'secret' : 'none'
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

function anyOf(words: string): string {
  return words.trim().split(/\s+/).join('|')
}
