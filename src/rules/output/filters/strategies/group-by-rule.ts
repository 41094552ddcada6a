import { groupEslint } from './group-eslint.ts'
import { groupRust } from './group-rust.ts'
import type { Strategy } from './strategy.ts'

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
