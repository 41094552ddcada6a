import { commonPart } from '../../util/text/common-part.ts'
import { findKeyBodies } from './key-bodies.ts'
import { knownForms } from './known-forms.ts'
import { findPrivateKeys } from './private-keys.ts'
import { type FoundSecret, redactSpans } from './redact-spans.ts'
import type { SecretShape, SecretSpan } from './secret-shapes.ts'
import { createRuleFinder } from './secrets/create-rule-finder.ts'
import type { TextPart } from './secrets/keyword-index.ts'
import { knownSecretRule } from './secrets/known-secret-rule.ts'
import { secretRules } from './secrets/secret-rules.ts'
import { settleSpans } from './settle-spans.ts'

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
