import { type LinePattern, matchesAny } from '../line-pattern.ts'
import { keptAsContext, keptAsFailure, type Strategy, type StrategyInput } from './strategy.ts'

export interface StripNoiseOptions {
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
