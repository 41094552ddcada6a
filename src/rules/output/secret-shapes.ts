/** Where a secret stands in a text: UTF-16 offsets, end exclusive. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** One recognisable form of credential. */
export interface SecretShape {
  readonly kind: string
  /** Texts of which one must occur for `pattern` to match at all; empty: always try. */
  readonly hints: readonly string[]
  /** Flags `g` and `d`; the secret is group 1, or the whole match where there is no group. */
  readonly pattern: RegExp
  /** A further test on the matched secret. */
  readonly accept?: (value: string) => boolean
}

const start = '(?<![A-Za-z0-9_-])'
const end = '(?![A-Za-z0-9_-])'

/** OUT-08: credentials that are known by their form alone. Git hashes and UUIDs match none of them. */
export const secretShapes: readonly SecretShape[] = [
  shape('api-key', ['sk-'], `${start}sk-[A-Za-z0-9_-]{20,512}`, hasDigit),
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `gh[pousr]_[A-Za-z0-9]{20,255}`),
  shape('github-token', ['github_pat_'], `github_pat_[A-Za-z0-9_]{22,255}`),
  shape('gitlab-token', ['glpat-'], `glpat-[A-Za-z0-9_-]{20,255}`),
  shape('aws-key-id', ['AKIA', 'ASIA'], `${start}(?:AKIA|ASIA)[A-Z0-9]{16}${end}`),
  shape('google-key', ['AIza'], `AIza[A-Za-z0-9_-]{35}`),
  shape('google-token', ['ya29.'], String.raw`ya29\.[A-Za-z0-9_-]{20,1024}`),
  shape('slack-token', ['xox', 'xapp-'], `(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}`),
  shape(
    'slack-webhook',
    ['hooks.slack.com'],
    String.raw`hooks\.slack\.com/services/([A-Za-z0-9/]{20,255})`,
  ),
  shape('telegram-token', [':'], `(?<![0-9])[0-9]{6,12}:[A-Za-z0-9_-]{35}${end}`, isMixed),
  shape('stripe-key', ['k_live_', 'k_test_'], `[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}`),
  shape('countersign-token', ['countersign_'], `countersign_[A-Za-z0-9_-]{43}${end}`),
  shape('npm-token', ['npm_'], `${start}npm_[A-Za-z0-9]{36}${end}`),
  shape('pypi-token', ['pypi-'], `pypi-[A-Za-z0-9_-]{50,512}`),
  shape('huggingface-token', ['hf_'], `${start}hf_[A-Za-z0-9]{30,255}`),
  shape('sendgrid-key', ['SG.'], String.raw`SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}`),
  shape(
    'jwt',
    ['eyJ'],
    String.raw`${start}eyJ[A-Za-z0-9_-]{6,8192}\.[A-Za-z0-9_-]{6,8192}\.[A-Za-z0-9_-]{0,8192}`,
  ),
  shape('connection-password', ['://'], String.raw`://[^\s/:@]{0,128}:([^\s/]{1,256})@`),
  shape(
    'bearer-token',
    ['earer ', 'EARER '],
    '(?:bearer|BEARER|Bearer) {1,4}([A-Za-z0-9._~+/-]{16,4096}=*)',
    hasDigit,
  ),
]

/**
 * A secret by the name it is assigned to (`DB_PASSWORD=…`, `"apiKey": "…"`), when its value looks random.
 * Kept apart: it is the only shape that judges by entropy.
 */
export const assignedSecret: SecretShape = {
  kind: 'assigned-secret',
  hints: [],
  pattern: new RegExp(
    [
      '(?:secret|token|passw(?:or)?d|pwd(?!=/)|api[_-]?key|access[_-]?key|private[_-]?key|credential)',
      String.raw`[a-z0-9_-]{0,24}["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}["']?`,
      String.raw`([^\s"'\x60,;()<>{}[\]]{12,512})(?![(\[])`,
    ].join(''),
    'dgi',
  ),
  accept: looksRandom,
}

function shape(
  kind: string,
  hints: readonly string[],
  source: string,
  accept?: (value: string) => boolean,
): SecretShape {
  const found = { kind, hints, pattern: new RegExp(source, 'dg') }
  return accept === undefined ? found : { ...found, accept }
}

function hasDigit(value: string): boolean {
  return /[0-9]/.test(value)
}

function isMixed(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value)
}

const gitHash = /^[0-9a-f]{40}$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function looksRandom(value: string): boolean {
  if (gitHash.test(value) || uuid.test(value) || !hasDigit(value)) return false
  return /[A-Za-z]/.test(value) && entropy(value) >= 3
}

/** Shannon entropy in bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
