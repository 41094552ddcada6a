import { toLinearRegex } from '../../../util/text/linear-regex.ts'

/** Matching lines with their numbers, from 1, of `total` lines; or why the pattern is refused. */
export type LineSearch =
  | {
      readonly kind: 'lines'
      /** The requested matches. */
      readonly lines: readonly string[]
      readonly matches: number
      readonly total: number
    }
  | { readonly kind: 'refused'; readonly why: string }

/** Range of matches to return. */
export interface WantedLines {
  readonly offset: number
  readonly limit: number
}

/** Longer lines are shown in part, from this far before the match. UTF-16 units. */
const longLine = 2_000
const beforeMatch = 200
const literal = /^[^\\^$.|?*+()[\]{}]*$/

/**
 * OUT-09: returns lines matching an RE2 expression, in linear time (megabytes take seconds). Keeps only the requested lines:
 * millions of short ones would take fifty times the memory of their text.
 */
export function searchLines(
  text: string,
  pattern: string,
  { offset, limit }: WantedLines,
): LineSearch {
  const match = matchOf(pattern)
  if (typeof match === 'string') return { kind: 'refused', why: match }
  const lines: string[] = []
  let matches = 0
  let total = 0
  for (const line of linesOf(text)) {
    total += 1
    if (!match.fits(line)) continue
    matches += 1
    const isWanted = matches > offset && lines.length < limit
    if (isWanted) lines.push(`${total}: ${shown(line, total - 1, match)}`)
  }
  return { kind: 'lines', lines, matches, total }
}

/** Yields line by line, so that each can be freed soon. */
function* linesOf(text: string): Iterable<string> {
  let from = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    yield text.slice(from, end)
    from = end + 1
  }
  yield text.slice(from)
}

/** Cuts an overlong line around its first match and says how to read the rest. */
function shown(line: string, index: number, match: Match): string {
  if (line.length <= longLine) return line
  const from = Math.max(0, match.begins(line) - beforeMatch)
  const part = line.slice(from, from + longLine).toWellFormed()
  return `[… from character ${from} of ${line.length} on; more without pattern: offset ${index}, column ${from} …] ${part}`
}

interface Match {
  readonly fits: (line: string) => boolean
  /** Index of the first match. */
  readonly begins: (line: string) => number
}

/** A pattern without special characters is searched as a plain string, a hundred times faster. */
function matchOf(pattern: string): Match | string {
  if (literal.test(pattern)) {
    return { fits: (line) => line.includes(pattern), begins: (line) => line.indexOf(pattern) }
  }
  const compiled = toLinearRegex(pattern)
  if (compiled.kind === 'refused') return compiled.why
  const { test, find } = compiled.regex
  return { fits: test, begins: (line) => firstOf(find(line))?.[0] ?? 0 }
}

function firstOf<T>(found: Iterable<T>): T | undefined {
  for (const one of found) return one
  return undefined
}
