import { type LinePattern, matchesAny } from '../line-pattern.ts'
import { belongs, type Strategy, tells } from './strategy.ts'

/**
 * Drops the lines that match one of the patterns. Ours are known to be noise wherever they stand, so that of those only what tells of a
 * failure itself is kept.
 */
export function createStripNoise(patterns: readonly LinePattern[], areOurs: boolean): Strategy {
  const least = areOurs ? tells : belongs
  return ({ lines, kept }) => {
    const rest = lines.filter((line, at) => (kept[at] ?? 0) >= least || !matchesAny(patterns, line))
    return { lines: rest, confidence: rest.length < lines.length ? 'full' : 'fallback' }
  }
}
