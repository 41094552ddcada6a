import { type LinePattern, matchesAny } from '../line-pattern.ts'
import { groupEslint } from './group-eslint.ts'
import { groupRust } from './group-rust.ts'
import {
  keptAsContext,
  keptAsFailure,
  leftOut,
  type Strategy,
  type StrategyInput,
} from './strategy.ts'

/** Keeps the lines that match a pattern. If none does, the output is not of the expected kind and stays unchanged. */
export function createKeepMatching(patterns: readonly LinePattern[]): Strategy {
  return ({ lines, kept }) => {
    let matched = 0
    const rest = lines.filter((line, at) => {
      const isMatch = matchesAny(patterns, line)
      if (isMatch) matched += 1
      return isMatch || kept[at] !== 0
    })
    return matched === 0 ? { lines, confidence: 'fallback' } : { lines: rest, confidence: 'full' }
  }
}

/** Drops lines that begin, after indentation, with one of the prefixes (`note:`, `help:`). */
export function createStripAnnotated(prefixes: readonly string[]): Strategy {
  return ({ lines, kept }) => {
    const rest = lines.filter((line, at) => {
      if (kept[at] !== 0) return true
      const text = line.trimStart()
      return !prefixes.some((prefix) => text.startsWith(prefix))
    })
    return { lines: rest, confidence: rest.length < lines.length ? 'full' : 'fallback' }
  }
}

interface StripNoiseOptions {
  readonly patterns: readonly LinePattern[]
  /** Noise, except that the last one before a failure names the failing step and is kept. */
  readonly steps: readonly LinePattern[]
  /** Built-in patterns are reliable noise anywhere: of matching lines only those that report a failure themselves are kept. */
  readonly areBuiltIn: boolean
}

/** Drops the lines that match a pattern, and, for built-in patterns, the blank lines that doubled as a result. */
export function createStripNoise({ patterns, steps, areBuiltIn }: StripNoiseOptions): Strategy {
  const keptFrom = areBuiltIn ? keptAsFailure : keptAsContext
  const noise = [...patterns, ...steps]
  return (input) => {
    const { lines, kept } = input
    const keptSteps = lastSteps(input, steps)
    const rest: string[] = []
    for (const [at, line] of lines.entries()) {
      const stays = (kept[at] ?? 0) >= keptFrom || keptSteps.has(at) || !matchesAny(noise, line)
      const isSecondBlank =
        areBuiltIn && line === '' && at > 0 && at < lines.length - 1 && (rest.at(-1) ?? '') === ''
      if (stays && !isSecondBlank) rest.push(line)
    }
    return { lines: rest, confidence: rest.length < lines.length ? 'full' : 'fallback' }
  }
}

function lastSteps(
  { lines, kept }: StrategyInput,
  steps: readonly LinePattern[],
): ReadonlySet<number> {
  const keptSteps = new Set<number>()
  if (steps.length === 0) return keptSteps
  let last: number | undefined
  for (let at = 0; at < lines.length; at += 1) {
    if (matchesAny(steps, lines[at] ?? '')) last = at
    if (kept[at] === keptAsFailure && last !== undefined) keptSteps.add(last)
  }
  return keptSteps
}

interface TruncateOptions {
  readonly maxLines: number
  readonly head: number
  readonly tail: number
  readonly keep: readonly LinePattern[]
  readonly headings: readonly LinePattern[]
}

/** Keeps the first and last lines of an output with more than `maxLines` lines. */
export function createTruncate(options: TruncateOptions): Strategy {
  const { maxLines, head, tail, keep, headings } = options
  return ({ lines, kept }) => {
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length
    if (count <= maxLines) return { lines, confidence: 'full' }
    const rest: string[] = []
    let left = 0
    let heading: string | undefined
    const flush = () => {
      if (left > 0) rest.push(leftOut(heading === undefined ? left : left - 1))
      if (heading !== undefined) rest.push(heading)
      left = 0
      heading = undefined
    }
    for (const [at, line] of lines.entries()) {
      const isEnd = at < head || at >= count - tail
      if (isEnd || kept[at] !== 0 || matchesAny(keep, line)) {
        flush()
        rest.push(line)
      } else {
        left += 1
        if (matchesAny(headings, line)) heading = line
      }
    }
    flush()
    return { lines: rest, confidence: 'partial' }
  }
}

/**
 * Groups problems by lint rule, with all locations of each rule. Understands rustc, clippy and eslint's list; compile errors
 * and other lines stay unchanged.
 */
export const groupByRule: Strategy = ({ lines, kept, failed }) => {
  const grouped = groupRust(lines, kept, failed) ?? groupEslint(lines)
  return grouped === undefined
    ? { lines, confidence: 'fallback' }
    : { lines: grouped, confidence: 'full' }
}
