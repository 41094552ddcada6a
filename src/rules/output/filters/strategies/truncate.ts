import { type LinePattern, matchesAny } from '../line-pattern.ts'
import type { Strategy } from './strategy.ts'
import { leftOut } from './strategy.ts'

export interface TruncateOptions {
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
