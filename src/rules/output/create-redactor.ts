import { commonPart } from '../../util/text/common-part.ts'
import { findKeyBodies } from './key-bodies.ts'
import { findPrivateKeys } from './private-keys.ts'
import { type FoundSecret, redactSpans } from './redact-spans.ts'
import type { SecretShape, SecretSpan } from './secret-shapes.ts'
import { assignedSecret } from './secrets/assigned-secret.ts'
import { chatRules } from './secrets/families/chat.ts'
import { cloudRules } from './secrets/families/clouds.ts'
import { codeHostRules, paymentRules } from './secrets/families/code-hosts.ts'
import { fileRules } from './secrets/families/files.ts'
import { httpRules } from './secrets/families/http.ts'
import {
  aiRules,
  monitoringRules,
  registryRules,
  serviceRules,
} from './secrets/families/services.ts'
import { createKeywordIndex, type TextPart } from './secrets/keyword-index.ts'
import { kubernetesSecret } from './secrets/kubernetes-secret.ts'
import type { SecretRule } from './secrets/secret-rule.ts'
import { settleSpans } from './settle-spans.ts'

/** All built-in rules for credentials (OUT-08). If two spans begin at the same offset, the kind of the earlier rule is used. */
export const builtInSecretRules: readonly SecretRule[] = [
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

/** Minimum length of a known secret, in UTF-16 units: replacing shorter values would hit ordinary words. */
const shortestSecret = 8

/** A secret that the product itself holds. `kind` appears in the mark: lower case, with hyphens. */
export interface KnownSecret {
  readonly kind: string
  readonly value: string
}

export interface Redactor {
  /** Replaces each secret with `[redacted:<kind>]`. Idempotent. */
  redact(text: string): { readonly text: string; readonly found: readonly FoundSecret[] }
  /** Finds the secrets, in order and without overlap. */
  find(text: string): readonly SecretSpan[]
  /**
   * Offset from which the end of the text may be the start of a known secret or of a match of an operator's pattern, decided
   * only by text that follows. The length of the text if there is none.
   */
  unfinishedFrom(text: string): number
}

/** Creates a redactor for known secrets of 8 or more UTF-16 units, the built-in rules and the `extra` shapes (OUT-08). */
export function createRedactor(
  knownSecrets: readonly KnownSecret[],
  extra: readonly SecretShape[] = [],
): Redactor {
  const forms = knownSecrets.flatMap(({ kind, value }) =>
    knownForms(value).map((form) => ({ kind, form })),
  )
  const known = forms.map(({ kind, form }) => knownSecretRule(kind, form))
  const findByRules = createRuleFinder([...known, ...builtInSecretRules])
  const findOnce = (text: string, parts: readonly TextPart[]) => [
    ...extra.flatMap((shape) => findShape(text, shape)),
    ...findByRules(text, parts),
    ...findPrivateKeys(text),
    // No other secret can hide key bodies, so the first round is enough.
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

/** A shape that may match line ends may have started anywhere, any other shape only in the last line. */
function unfinishedShape(text: string, shapes: readonly SecretShape[]): number {
  if (shapes.some(({ crossesLines }) => crossesLines !== false)) return 0
  return shapes.length === 0 ? text.length : text.lastIndexOf('\n') + 1
}

function unfinishedText(text: string, secrets: readonly string[]): number {
  const overlaps = secrets.map((secret) => commonPart(text, secret.slice(0, -1)))
  return text.length - Math.max(0, ...overlaps)
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

/** A rule for one encoded form of a known secret. */
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
 * The forms in which a known secret may appear: verbatim, URL-encoded, JSON-escaped, hexadecimal, and base64 in both alphabets
 * at each of the three possible alignments within a larger encoded text.
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

// The base64 digits that encode only bits of the secret, if `offset` other bytes precede it.
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(first, last)
}

/**
 * Creates a function that applies, in one pass over `parts` (in order), each rule whose keyword occurs there. Spans may
 * overlap; they are sorted by rule.
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
    const applyRule = (id: number, at: number): void => {
      const match = rules[id]?.find(text, at, ends[id] ?? 0)
      if (match === undefined) return
      ends[id] = match.end
      for (const span of match.spans) found.push({ id, span })
    }
    for (const part of parts) index.scan(text, part, applyRule)
    return found.sort((a, b) => a.id - b.id).map(({ span }) => span)
  }
}

interface Found {
  readonly id: number
  readonly span: SecretSpan
}
