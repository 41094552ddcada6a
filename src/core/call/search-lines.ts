import { setImmediate as otherWork } from 'node:timers/promises'
import { toLinearRegex } from '../../util/linear-regex.ts'

/** Lines that match, with their numbers, from 1 on; or why the pattern cannot be used. */
export type LineSearch =
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly total: number }
  | { readonly kind: 'refused'; readonly why: string }

/** So many lines are looked at before other work of the process has its turn. */
const linesAtOnce = 2_000
const literal = /^[^\\^$.|?*+()[\]{}]*$/

/** OUT-09: the lines of a text in which a regular expression (RE2) matches, in linear time. */
export async function searchLines(text: string, pattern: string): Promise<LineSearch> {
  const matches = matcherOf(pattern)
  if (typeof matches === 'string') return { kind: 'refused', why: matches }
  const all = text.split('\n')
  const lines: string[] = []
  for (const [index, line] of all.entries()) {
    if (index % linesAtOnce === linesAtOnce - 1) await otherWork()
    if (matches(line)) lines.push(`${index + 1}: ${line}`)
  }
  return { kind: 'lines', lines, total: all.length }
}

/** What has no special character is looked for as it is, which is a hundred times faster. */
function matcherOf(pattern: string): ((line: string) => boolean) | string {
  if (literal.test(pattern)) return (line) => line.includes(pattern)
  const compiled = toLinearRegex(pattern)
  if (compiled.kind === 'refused') return compiled.why
  return compiled.regex.test
}
