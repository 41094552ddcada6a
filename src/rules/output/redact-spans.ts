import type { SecretSpan } from './secret-shapes.ts'

/** Kind of a secret and the 1-based line where it begins; never the secret itself. */
export interface FoundSecret {
  readonly kind: string
  readonly line: number
}

/** Replaces each span with its mark; the spans must be in order and must not overlap. */
export function redactSpans(
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

// Accepts ascending offsets only, so that each line end is visited once.
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

/** The text that replaces a secret. */
export function redactionMark(kind: string): string {
  return `[redacted:${kind}]`
}

const mark = /^\[redacted:[a-z0-9-]+\]$/

export function isRedactionMark(text: string): boolean {
  return mark.test(text)
}
