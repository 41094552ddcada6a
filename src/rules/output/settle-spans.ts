import { isRedactionMark } from './redaction-mark.ts'
import type { SecretSpan } from './secret-shapes.ts'
import type { TextPart } from './secrets/keyword-index.ts'

/**
 * One secret may hide another that touches it, so the rest is searched again without the first ones, until nothing
 * new turns up.
 */
export function settleSpans(
  text: string,
  findOnce: (text: string, parts: readonly TextPart[]) => readonly SecretSpan[],
): readonly SecretSpan[] {
  let parts: readonly TextPart[] = [{ start: 0, end: text.length }]
  let spans: readonly SecretSpan[] = []
  for (let round = 0; round < mostRounds; round += 1) {
    const rest = round === 0 ? text : blank(text, spans)
    const more = findOnce(rest, parts)
      .map((span) => beforeEscape(rest, span))
      .filter(({ start, end }) => end > start && !isRedactionMark(rest.slice(start, end)))
    if (more.length === 0) break
    const merged = withoutOverlap([...spans, ...more])
    // What stands in for a short secret may look like one, and is found again for nothing.
    if (covers(spans, merged)) break
    spans = merged
    parts = partsAround(spans, text.length)
  }
  return spans
}

/** What one could have hidden touches it, and has its keyword within so many UTF-16 units. */
const farthest = 2_000

function partsAround(spans: readonly SecretSpan[], length: number): readonly TextPart[] {
  const parts: { start: number; end: number }[] = []
  for (const span of spans) {
    const start = Math.max(0, span.start - farthest)
    const end = Math.min(length, span.end + farthest)
    const last = parts.at(-1)
    if (last !== undefined && start <= last.end) last.end = end
    else parts.push({ start, end })
  }
  return parts
}

/** A backslash at the end belongs to what follows: without it a text in JSON would be none any more. */
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
  parts.push(text.slice(done))
  return parts.join('')
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
