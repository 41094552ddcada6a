import { commonPart } from '../../util/text/common-part.ts'
import { findKeyBodies } from './key-bodies.ts'
import { findPrivateKeys } from './private-keys.ts'
import { type FoundSecret, redactSpans } from './redact-spans.ts'
import type { SecretShape, SecretSpan } from './secret-shapes.ts'
import { assignedSecret } from './secrets/assigned-secret.ts'
import { aiRules } from './secrets/families/ai-providers.ts'
import { chatRules } from './secrets/families/chat.ts'
import { cloudRules } from './secrets/families/clouds.ts'
import { codeHostRules } from './secrets/families/code-hosts.ts'
import { fileRules } from './secrets/families/files.ts'
import { httpRules } from './secrets/families/http.ts'
import { monitoringRules } from './secrets/families/monitoring.ts'
import { registryRules } from './secrets/families/package-registries.ts'
import { paymentRules } from './secrets/families/payments.ts'
import { serviceRules } from './secrets/families/services.ts'
import { createKeywordIndex, type TextPart } from './secrets/keyword-index.ts'
import { kubernetesSecret } from './secrets/kubernetes-secret.ts'
import type { SecretRule } from './secrets/secret-rule.ts'
import { settleSpans } from './settle-spans.ts'

/** OUT-08: every kind of credential that is known. Of two that begin at one place the first names it. */
export const secretRules: readonly SecretRule[] = [
  ...cloudRules,
  ...codeHostRules,
  ...chatRules,
  ...paymentRules,
  ...registryRules,
  ...monitoringRules,
  ...serviceRules,
  ...aiRules,
  ...fileRules,
  ...httpRules,
  kubernetesSecret,
  assignedSecret,
]

/** Shorter values are left alone: they would turn ordinary words into marks. In UTF-16 units. */
const shortestSecret = 8

/** A secret that the product itself holds. `kind` is lower case with hyphens and stands in the mark. */
export interface KnownSecret {
  readonly kind: string
  readonly value: string
}

export interface Redactor {
  /** The text with each secret replaced by `[redacted:<kind>]`. Doing it twice changes nothing more. */
  redact(text: string): { readonly text: string; readonly found: readonly FoundSecret[] }
  /** Where the secrets are, in order and without overlap. */
  find(text: string): readonly SecretSpan[]
  /**
   * From which offset on the end of the text may be the beginning of a secret that is known, or of a form of the operator's:
   * only what comes next tells.
   */
  unfinishedFrom(text: string): number
}

/** OUT-08: a redactor for known secrets (those of 8 characters or more), the common shapes, and `extra` ones. */
export function createRedactor(
  knownSecrets: readonly KnownSecret[],
  extra: readonly SecretShape[] = [],
): Redactor {
  const forms = knownSecrets.flatMap(({ kind, value }) =>
    knownForms(value).map((form) => ({ kind, form })),
  )
  const known = forms.map(({ kind, form }) => knownSecretRule(kind, form))
  const findByRules = createRuleFinder([...known, ...secretRules])
  const findOnce = (text: string, parts: readonly TextPart[]) => [
    ...extra.flatMap((shape) => findShape(text, shape)),
    ...findByRules(text, parts),
    ...findPrivateKeys(text),
    // No other secret hides these: once is enough.
    ...(parts[0]?.end === text.length && parts[0].start === 0 ? findKeyBodies(text) : []),
  ]
  const find = (text: string) => settleSpans(text, findOnce)
  const texts = forms.map(({ form }) => form)
  return {
    find,
    redact: (text) => redactSpans(text, find(text)),
    unfinishedFrom: (text) => Math.min(unfinishedShape(text, extra), unfinishedText(text, texts)),
  }
}

/** A form that goes over ends of lines may have begun anywhere, any other one in the last line. */
function unfinishedShape(text: string, shapes: readonly SecretShape[]): number {
  if (shapes.some(({ crossesLines }) => crossesLines !== false)) return 0
  return shapes.length === 0 ? text.length : text.lastIndexOf('\n') + 1
}

function unfinishedText(text: string, secrets: readonly string[]): number {
  const begun = secrets.map((secret) => commonPart(text, secret.slice(0, -1)))
  return text.length - Math.max(0, ...begun)
}

function findShape(text: string, shape: SecretShape): SecretSpan[] {
  const hinted = shape.hints.length === 0 || shape.hints.some((hint) => text.includes(hint))
  if (!hinted) return []
  const spans: SecretSpan[] = []
  for (const [start, end] of occurrences(text, shape.pattern)) {
    if (shape.accept?.(text.slice(start, end)) === false) continue
    spans.push({ start, end, kind: shape.kind })
  }
  return spans
}

function* occurrences(
  text: string,
  pattern: SecretShape['pattern'],
): Iterable<readonly [start: number, end: number]> {
  if (!(pattern instanceof RegExp)) return yield* pattern.find(text)
  for (const match of text.matchAll(pattern)) {
    yield match.indices?.[1] ?? [match.index, match.index + match[0].length]
  }
}

/** A secret that is known, in one of its forms. */
function knownSecretRule(kind: string, form: string): SecretRule {
  return {
    keywords: [form],
    find(text, at, from) {
      if (at < from || !text.startsWith(form, at)) return undefined
      const end = at + form.length
      return { spans: [{ start: at, end, kind }], end }
    },
  }
}

/**
 * The texts under which a known secret may show up: as it is, URL-encoded, escaped in JSON, in hexadecimal, and
 * inside base64 (both alphabets) at any of the three places it can take in a larger encoded text.
 */
function knownForms(secret: string): string[] {
  if (secret.length < shortestSecret) return []
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset))
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret)
}

// The digits that hold nothing but bits of the secret, when `offset` foreign bytes stand before it.
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(first, last)
}

/**
 * Finds what any of the rules finds whose keyword stands in one of the parts, in one pass; the parts are in order. Spans
 * may overlap, and come in the rules' order.
 */
export function createRuleFinder(
  rules: readonly SecretRule[],
): (text: string, parts: readonly TextPart[]) => readonly SecretSpan[] {
  const index = createKeywordIndex(
    rules.flatMap(({ keywords }, id) => keywords.map((keyword) => [id, keyword] as const)),
  )
  return (text, parts) => {
    const ends = new Uint32Array(rules.length)
    const found: Found[] = []
    const ask = (id: number, at: number): void => {
      const match = rules[id]?.find(text, at, ends[id] ?? 0)
      if (match === undefined) return
      ends[id] = match.end
      for (const span of match.spans) found.push({ id, span })
    }
    for (const part of parts) index.scan(text, part, ask)
    return found.sort((a, b) => a.id - b.id).map(({ span }) => span)
  }
}

interface Found {
  readonly id: number
  readonly span: SecretSpan
}
