import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** A regular expression that matches in linear time. */
export interface LinearRegex {
  /** Whether it matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /**
   * All matches from left to right, without overlap, as UTF-16 offsets: the first group if it took part, else the whole match.
   * Empty matches are skipped. Each match may scan the rest of the text again: after two seconds, plus one for each million
   * characters, the whole rest counts as one match.
   */
  readonly find: (text: string) => Iterable<readonly [start: number, end: number]>
}

export type LinearRegexResult =
  | { readonly kind: 'regex'; readonly regex: LinearRegex }
  /** `why` completes “the regular expression …”. */
  | { readonly kind: 'refused'; readonly why: string }

const maxCharacters = 1_024
/** Limit of compiled instructions: each may cost time per character. */
const maxProgramSize = 1_000

/**
 * POL-01: compiles the RE2 dialect with the engine that runs it later. Refuses what the dialect lacks (lookaround,
 * backreferences), more than 1,024 characters, and expressions that compile too large (`(a{100}){20}`). Never throws.
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

/** `a(?:[^b]*b)?` on many `a` takes quadratic time: 50 s for 16,000 of them. */
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

/** Loaded with the first expression: most installations have none, and it would slow each start. */
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

/** Ignores character classes and escapes, so that `\(?=` and `[(?=]` are plain text. */
function nonLinearConstruct(text: string): string | undefined {
  const tokens = text.matchAll(/\\(k<|.)|\[\^?(?:\\.|[^\]\\])*\]|\(\?(<?[=!])/gsu)
  for (const [, escaped = '', look] of tokens) {
    if (look) return 'lookaround'
    if (/^(?:[1-9]|k<)$/u.test(escaped)) return 'a backreference'
  }
  return undefined
}
