import { knownForms } from './known-forms.ts'
import { findPrivateKeys } from './private-keys.ts'
import { assignedSecret, type SecretShape, type SecretSpan, secretShapes } from './secret-shapes.ts'

/** A secret that the product itself holds. `kind` is lower case with hyphens and stands in the mark. */
export interface KnownSecret {
  readonly kind: string
  readonly value: string
}

/** A kind of secret found, and the 1-based line it began on; never the secret itself. */
export interface FoundSecret {
  readonly kind: string
  readonly line: number
}

export interface Redactor {
  /** The text with each secret replaced by `[redacted:<kind>]`. Doing it twice changes nothing more. */
  redact(text: string): { readonly text: string; readonly found: readonly FoundSecret[] }
  /** Where the secrets are, in order and without overlap. */
  find(text: string): readonly SecretSpan[]
}

/** OUT-08: a redactor for known secrets (those of 8 characters or more), the common shapes, and `extra` ones. */
export function createRedactor(
  knownSecrets: readonly KnownSecret[],
  extra: readonly SecretShape[] = [],
): Redactor {
  const known = knownSecrets.flatMap(({ kind, value }) =>
    knownForms(value).map((form) => ({ kind, form })),
  )
  const shapes = [...secretShapes, ...extra, assignedSecret]
  const findOnce = (text: string) => [
    ...known.flatMap(({ kind, form }) => findText(text, form, kind)),
    ...findPrivateKeys(text),
    ...shapes.flatMap((shape) => findShape(text, shape)),
  ]
  const find = (text: string) => findAll(text, findOnce)
  return { find, redact: (text) => replaceSpans(text, find(text)) }
}

/** What stands in the place of a secret. */
export function redactionMark(kind: string): string {
  return `[redacted:${kind}]`
}

const mark = /^\[redacted:[a-z0-9-]+\]$/

/**
 * One secret may hide another that touches it, so the rest is searched again without the first ones, until nothing
 * new turns up.
 */
function findAll(
  text: string,
  findOnce: (text: string) => readonly SecretSpan[],
): readonly SecretSpan[] {
  let spans: readonly SecretSpan[] = []
  for (let round = 0; round < mostRounds; round += 1) {
    const rest = round === 0 ? text : blank(text, spans)
    const more = findOnce(rest).filter(({ start, end }) => !mark.test(rest.slice(start, end)))
    if (more.length === 0) break
    const merged = withoutOverlap([...spans, ...more])
    // What stands in for a short secret may look like one, and is found again for nothing.
    if (covers(spans, merged)) break
    spans = merged
  }
  return spans
}

function covers(spans: readonly SecretSpan[], merged: readonly SecretSpan[]): boolean {
  return (
    spans.length === merged.length &&
    spans.every(({ start, end }, at) => merged[at]?.start === start && merged[at]?.end === end)
  )
}

const mostRounds = 8

// As long as the secret, so that offsets stay, and looking like a mark, as the secret will.
function blank(text: string, spans: readonly SecretSpan[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of spans) {
    parts.push(text.slice(done, start), '[redacted:'.slice(0, end - start - 1))
    parts.push('x'.repeat(Math.max(0, end - start - 11)), ']')
    done = end
  }
  return `${parts.join('')}${text.slice(done)}`
}

function findText(text: string, form: string, kind: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    spans.push({ start: at, end: at + form.length, kind })
  }
  return spans
}

function findShape(text: string, shape: SecretShape): SecretSpan[] {
  const hinted = shape.hints.length === 0 || shape.hints.some((hint) => text.includes(hint))
  if (!hinted) return []
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(shape.pattern)) {
    const [start, end] = match.indices?.[1] ?? [match.index, match.index + match[0].length]
    if (shape.accept?.(text.slice(start, end)) === false) continue
    spans.push({ start, end, kind: shape.kind })
  }
  return spans
}

// Overlapping finds become one, named after the first found: known secrets come before shapes.
function withoutOverlap(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}

function replaceSpans(
  text: string,
  spans: readonly SecretSpan[],
): { readonly text: string; readonly found: readonly FoundSecret[] } {
  if (spans.length === 0) return { text, found: [] }
  const parts: string[] = []
  const found: FoundSecret[] = []
  const lineAt = createLineCounter(text)
  let done = 0
  for (const span of spans) {
    found.push({ kind: span.kind, line: lineAt(span.start) })
    parts.push(text.slice(done, span.start), redactionMark(span.kind))
    done = span.end
  }
  parts.push(text.slice(done))
  return { text: parts.join(''), found }
}

// Answers for rising offsets only, and looks at each line end once however many offsets are asked for.
function createLineCounter(text: string): (offset: number) => number {
  let line = 1
  let lineEnd = text.indexOf('\n')
  return (offset) => {
    while (lineEnd !== -1 && lineEnd < offset) {
      line += 1
      lineEnd = text.indexOf('\n', lineEnd + 1)
    }
    return line
  }
}
