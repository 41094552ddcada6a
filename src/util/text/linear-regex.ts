import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** A regular expression whose time grows with the text, never exponentially. */
export interface LinearRegex {
  /** Whether it fits anywhere in the text. */
  readonly test: (text: string) => boolean
  /**
   * Where it fits, from left to right and without overlap, as UTF-16 offsets: its first group where it has one that took
   * part, else all of it. What is empty is left out. Each match may look through the rest of the text anew: after two
   * seconds, and one more for each million characters, all that is left counts as one match.
   */
  readonly find: (text: string) => Iterable<readonly [start: number, end: number]>
}

export type LinearRegexResult =
  | { readonly kind: 'regex'; readonly regex: LinearRegex }
  /** `why` completes “the regular expression …”. */
  | { readonly kind: 'refused'; readonly why: string }

const maxCharacters = 1_024
/** Instructions of a compiled expression: each may cost time on each character. */
const maxProgramSize = 1_000

/**
 * POL-01: the RE2 dialect, compiled by the engine that later runs it. Refused: what the dialect lacks (lookaround,
 * backreferences), over 1,024 characters, and what would grow too large (`(a{100}){20}`). Never throws.
 */
export function toLinearRegex(text: string, longestFindMs = 2_000): LinearRegexResult {
  if (text.length > maxCharacters) {
    return refused(`has at most ${maxCharacters} characters, this one has ${text.length}`)
  }
  try {
    const compiled = engine().compile(text)
    if (compiled.programSize() > maxProgramSize) {
      return refused('repeats too much: it would be too slow on long text')
    }
    return {
      kind: 'regex',
      regex: {
        test: (value) => compiled.test(value),
        find: (value) => find(compiled, value, longestFindMs),
      },
    }
  } catch (error) {
    return refused(whyNot(text, error))
  }
}

/** `a(?:[^b]*b)?` on many `a` takes time by the square of their number: 50 s for 16,000 of them. */
function* find(
  compiled: RE2JS,
  text: string,
  longestMs: number,
): Iterable<readonly [start: number, end: number]> {
  const matcher = compiled.matcher(text)
  const deadline = performance.now() + longestMs + text.length / 1_000
  const hasGroup = compiled.groupCount() > 0
  while (matcher.find()) {
    const group = hasGroup && matcher.start(1) >= 0 ? 1 : 0
    const start = matcher.start(group)
    const end = matcher.end(group)
    const isLate = performance.now() > deadline
    if (end > start || isLate) yield [start, isLate ? text.length : end]
    if (isLate) return
  }
}

function refused(why: string): LinearRegexResult {
  return { kind: 'refused', why }
}

/** Loaded with the first expression: most installations have none, and each start would wait for it. */
function engine(): typeof RE2JS {
  const loaded: { RE2JS: typeof RE2JS } = createRequire(import.meta.url)('re2js')
  return loaded.RE2JS
}

function whyNot(text: string, error: unknown): string {
  const construct = nonLinearConstruct(text)
  if (construct !== undefined) return `uses ${construct}, which is not linear-time`
  const message = error instanceof Error ? error.message : String(error)
  return `is not valid: ${message.replace(/^error parsing regexp: /, '')}`
}

/** Looks outside character classes and past escapes, so that `\(?=` and `[(?=]` are plain text. */
function nonLinearConstruct(text: string): string | undefined {
  const tokens = text.matchAll(/\\(k<|.)|\[\^?(?:\\.|[^\]\\])*\]|\(\?(<?[=!])/gsu)
  for (const [, escaped = '', look] of tokens) {
    if (look) return 'lookaround'
    if (/^(?:[1-9]|k<)$/u.test(escaped)) return 'a backreference'
  }
  return undefined
}
