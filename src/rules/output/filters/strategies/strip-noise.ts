import { type LinePattern, matchesAny } from '../line-pattern.ts'
import { belongs, type Strategy, type StrategyInput, tells } from './strategy.ts'

export interface StripNoiseOptions {
  readonly patterns: readonly LinePattern[]
  /** Noise too; but the last of them before a failure says what failed, and stays. */
  readonly steps: readonly LinePattern[]
  /** Our own patterns are known to be noise wherever they stand: of such lines only what tells of a failure itself is kept. */
  readonly areOurs: boolean
}

/** Drops the lines that match one of the patterns; where ours drop what stood between blank lines, all but one of these too. */
export function createStripNoise({ patterns, steps, areOurs }: StripNoiseOptions): Strategy {
  const least = areOurs ? tells : belongs
  const noise = [...patterns, ...steps]
  return (input) => {
    const { lines, kept } = input
    const stay = lastSteps(input, steps)
    const rest: string[] = []
    for (const [at, line] of lines.entries()) {
      const stays = (kept[at] ?? 0) >= least || stay.has(at) || !matchesAny(noise, line)
      const isSecondBlank =
        areOurs && line === '' && at > 0 && at < lines.length - 1 && (rest.at(-1) ?? '') === ''
      if (stays && !isSecondBlank) rest.push(line)
    }
    return { lines: rest, confidence: rest.length < lines.length ? 'full' : 'fallback' }
  }
}

function lastSteps(
  { lines, kept }: StrategyInput,
  steps: readonly LinePattern[],
): ReadonlySet<number> {
  const stay = new Set<number>()
  if (steps.length === 0) return stay
  let last: number | undefined
  for (let at = 0; at < lines.length; at += 1) {
    if (matchesAny(steps, lines[at] ?? '')) last = at
    if (kept[at] === tells && last !== undefined) stay.add(last)
  }
  return stay
}
