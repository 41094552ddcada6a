import { redactionMark } from './redaction-mark.ts'
import type { SecretSpan } from './secret-shapes.ts'

/** A kind of secret found, and the 1-based line it began on; never the secret itself. */
export interface FoundSecret {
  readonly kind: string
  readonly line: number
}

/** The text with a mark in the place of each span; they are in order and do not overlap. */
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
