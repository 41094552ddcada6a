import { isRedactionMark } from './redact-spans.ts'
import type { SecretSpan } from './secret-shapes.ts'
import type { TextPart } from './secrets/keyword-index.ts'

/**
 * Finds all secrets in several rounds: a secret can hide another that touches it, so the text is searched again with the found
 * ones blanked out, until nothing new turns up.
 */
export function settleSpans(
  text: string,
  findOnce: (text: string, parts: readonly TextPart[]) => readonly SecretSpan[],
): readonly SecretSpan[] {
  let parts: readonly TextPart[] = [{ start: 0, end: text.length }]
  let spans: readonly SecretSpan[] = []
  for (let round = 0; round < maxRounds; round += 1) {
    const rest = round === 0 ? text : blank(text, spans)
    const more = findOnce(rest, parts)
      .map((span) => beforeEscape(rest, span))
      .filter(({ start, end }) => end > start && !isRedactionMark(rest.slice(start, end)))
    if (more.length === 0) break
    const merged = withoutOverlap([...spans, ...more])
    // The filler for a short secret may itself look like a secret and be found again.
    if (covers(spans, merged)) break
    spans = merged
    parts = partsAround(spans, text.length)
  }
  return spans
}

/**
 * Search radius of the next round, in UTF-16 units: a hidden secret touches a found one and has its keyword within this
 * distance.
 */
const searchRadius = 2_000

function partsAround(spans: readonly SecretSpan[], length: number): readonly TextPart[] {
  const parts: { start: number; end: number }[] = []
  for (const span of spans) {
    const start = Math.max(0, span.start - searchRadius)
    const end = Math.min(length, span.end + searchRadius)
    const last = parts.at(-1)
    if (last !== undefined && start <= last.end) last.end = end
    else parts.push({ start, end })
  }
  return parts
}

/** Excludes a backslash at the end: it escapes the next character, and without it JSON would become invalid. */
function beforeEscape(text: string, span: SecretSpan): SecretSpan {
  let { end } = span
  while (end > span.start && text[end - 1] === '\\') end -= 1
  return end === span.end ? span : { ...span, end }
}

function covers(spans: readonly SecretSpan[], merged: readonly SecretSpan[]): boolean {
  return (
    spans.length === merged.length &&
    spans.every(({ start, end }, at) => merged[at]?.start === start && merged[at]?.end === end)
  )
}

const maxRounds = 8

// The filler keeps the length, so that offsets stay valid, and looks like a redaction mark, as the final text will.
function blank(text: string, spans: readonly SecretSpan[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of spans) {
    parts.push(text.slice(done, start), '[redacted:'.slice(0, end - start - 1))
    parts.push('x'.repeat(Math.max(0, end - start - 11)), ']')
    done = end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

// Merges overlapping spans under the kind of the first: known secrets precede shapes.
function withoutOverlap(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}
