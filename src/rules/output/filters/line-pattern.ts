import { toLinearRegex } from '../../../util/text/linear-regex.ts'

/** A regular expression over one line. */
export interface LinePattern {
  test(line: string): boolean
}

export type PatternResult =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  /** `why` completes “the regular expression …”. */
  | { readonly kind: 'refused'; readonly why: string }

/** OUT-07: of a regular expression in a rule. */
export const maxPatternCharacters = 512

/** OUT-07: a pattern of a person's file: at most 512 characters, and of a dialect that runs in linear time. */
export function toUserPattern(source: string): PatternResult {
  if (source.length > maxPatternCharacters) {
    const why = `has at most ${maxPatternCharacters} characters, this one has ${source.length}`
    return { kind: 'refused', why }
  }
  const found = toLinearRegex(source)
  return found.kind === 'refused' ? found : { kind: 'pattern', pattern: found.regex }
}

/** Our own run on the platform's engine, which is faster; that each stays linear is tested. */
export function toOwnPattern(source: string): PatternResult {
  return { kind: 'pattern', pattern: new RegExp(source) }
}

export function matchesAny(patterns: readonly LinePattern[], line: string): boolean {
  for (const pattern of patterns) if (pattern.test(line)) return true
  return false
}
