import { toLinearRegex } from '../../../util/text/linear-regex.ts'

/** A regular expression over one line. */
export interface LinePattern {
  test(line: string): boolean
}

export type PatternResult =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  /** `why` completes “the regular expression …”. */
  | { readonly kind: 'refused'; readonly why: string }

/** Maximum length of a regular expression in a rule (OUT-07), in UTF-16 units. */
export const maxPatternCharacters = 512

/** Compiles a pattern of an operator's file (OUT-07): at most 512 UTF-16 units, in a dialect that runs in linear time. */
export function toUserPattern(source: string): PatternResult {
  if (source.length > maxPatternCharacters) {
    const why = `has at most ${maxPatternCharacters} characters, this one has ${source.length}`
    return { kind: 'refused', why }
  }
  const found = toLinearRegex(source)
  return found.kind === 'refused' ? found : { kind: 'pattern', pattern: found.regex }
}

/** Compiles a built-in pattern with the native engine, which is faster; tests check that each is linear. */
export function toBuiltInPattern(source: string): PatternResult {
  return { kind: 'pattern', pattern: new RegExp(source) }
}

export function matchesAny(patterns: readonly LinePattern[], line: string): boolean {
  for (const pattern of patterns) if (pattern.test(line)) return true
  return false
}
