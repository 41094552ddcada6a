import { toLinearRegex } from '../../util/text/linear-regex.ts'
import type { SecretShape } from './secret-shapes.ts'

/** An operator's pattern that is not used; `number` counts from 1, `why` completes “it …”. */
export interface SkippedPattern {
  readonly number: number
  readonly why: string
}

export interface ExtraShapes {
  readonly shapes: readonly SecretShape[]
  readonly skipped: readonly SkippedPattern[]
}

/** OUT-07, in UTF-16 units. */
const longestPattern = 512

/**
 * Compiles `[tools.filters.security] extra_patterns` (OUT-08). Unusable patterns are returned in `skipped`; nothing is thrown.
 */
export function toExtraShapes(patterns: readonly string[]): ExtraShapes {
  const shapes: SecretShape[] = []
  const skipped: SkippedPattern[] = []
  for (const [index, text] of patterns.entries()) {
    const result = toShape(text)
    if (typeof result === 'string') skipped.push({ number: index + 1, why: result })
    else shapes.push(result)
  }
  return { shapes, skipped }
}

function toShape(text: string): SecretShape | string {
  if (text.length > longestPattern) {
    return `has ${text.length} characters, and may have ${longestPattern}`
  }
  const result = toLinearRegex(text)
  if (result.kind === 'refused') return result.why
  const crossesLines = mayHoldLineEnd(text)
  return { kind: 'extra-pattern', hints: [], pattern: result.regex, crossesLines }
}

/** One element of a regular expression: an escape, a character class, inline flags, or a single character. */
const parts =
  /\\(?:[pP]\{[^}]*\}|[xX]\{[^}]*\}|x..|Q|.)|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]|\(\?[a-zA-Z]*|./gsu

function mayHoldLineEnd(pattern: string): boolean {
  return (pattern.match(parts) ?? []).some((part) => {
    if (part.startsWith('(?')) return part.includes('s')
    if (part === '\\Q' || part === '\n' || part === '\r') return true
    if (part.length === 1 || /^\\[bBAzZQE]$/.test(part)) return false
    const alone = toLinearRegex(part)
    return alone.kind === 'refused' || alone.regex.test('\n') || alone.regex.test('\r')
  })
}
