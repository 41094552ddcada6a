import { type LinePattern, matchesAny } from '../line-pattern.ts'
import type { Strategy } from './strategy.ts'

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
