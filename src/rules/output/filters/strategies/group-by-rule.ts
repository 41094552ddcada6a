import { groupEslint } from './group-eslint.ts'
import { groupRust } from './group-rust.ts'
import type { Strategy } from './strategy.ts'

/**
 * One block a lint rule, with every place where it was broken. Reads what rustc and clippy print, and eslint's list; compile
 * errors, and every line that is no part of a lint, stay as they are.
 */
export const groupByRule: Strategy = ({ lines, kept, failed }) => {
  const grouped = groupRust(lines, kept, failed) ?? groupEslint(lines)
  return grouped === undefined
    ? { lines, confidence: 'fallback' }
    : { lines: grouped, confidence: 'full' }
}
