import { toLinearRegex } from '../../../util/text/linear-regex.ts'

/** Lines that match, with their numbers, from 1 on, of `total` lines; or why the pattern cannot be used. */
export type LineSearch =
  | {
      readonly kind: 'lines'
      /** Those that were wanted. */
      readonly lines: readonly string[]
      readonly matches: number
      readonly total: number
    }
  | { readonly kind: 'refused'; readonly why: string }

/** Which of those that match are wanted. */
export interface WantedLines {
  readonly offset: number
  readonly limit: number
}

/** Of a longer line a part is shown, which begins so far before its match. In UTF-16 units. */
const longLine = 2_000
const beforeMatch = 200
const literal = /^[^\\^$.|?*+()[\]{}]*$/

/**
 * OUT-09: the lines of a text in which a regular expression (RE2) matches, in linear time: of megabytes, in seconds. Millions of
 * short lines would take fifty times the room of their text, and so no more of them are kept than are wanted.
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

/** One after the other, so that what was looked at is soon gone. */
function* linesOf(text: string): Iterable<string> {
  let from = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    yield text.slice(from, end)
    from = end + 1
  }
  yield text.slice(from)
}

/** Of a line that is endless, what stands around the first match, and how the rest is read. */
function shown(line: string, index: number, match: Match): string {
  if (line.length <= longLine) return line
  const from = Math.max(0, match.begins(line) - beforeMatch)
  const part = line.slice(from, from + longLine).toWellFormed()
  return `[… from character ${from} of ${line.length} on; more without pattern: offset ${index}, column ${from} …] ${part}`
}

interface Match {
  readonly fits: (line: string) => boolean
  /** Where it first does. */
  readonly begins: (line: string) => number
}

/** What has no special character is looked for as it is, which is a hundred times faster. */
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
