import { type LinePattern, matchesAny } from '../line-pattern.ts'
import { leftOut } from './left-out.ts'
import type { Strategy } from './strategy.ts'

export interface TruncateOptions {
  readonly maxLines: number
  readonly head: number
  readonly tail: number
  readonly keep: readonly LinePattern[]
  readonly headings: readonly LinePattern[]
}

/** Keeps the first and last lines of what has more than `maxLines`. */
export function createTruncate(options: TruncateOptions): Strategy {
  const { maxLines, head, tail, keep, headings } = options
  return ({ lines, kept }) => {
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length
    if (count <= maxLines) return { lines, confidence: 'full' }
    const rest: string[] = []
    let left = 0
    let heading: string | undefined
    const tell = () => {
      if (left > 0) rest.push(leftOut(heading === undefined ? left : left - 1))
      if (heading !== undefined) rest.push(heading)
      left = 0
      heading = undefined
    }
    for (const [at, line] of lines.entries()) {
      const isEnd = at < head || at >= count - tail
      if (isEnd || kept[at] !== 0 || matchesAny(keep, line)) {
        tell()
        rest.push(line)
      } else {
        left += 1
        if (matchesAny(headings, line)) heading = line
      }
    }
    tell()
    return { lines: rest, confidence: 'partial' }
  }
}
