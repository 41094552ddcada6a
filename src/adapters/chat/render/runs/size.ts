import type { Marks, Run } from './run.ts'

/** Size of a text in terms of a platform's limits for one message. */
export interface Size {
  /** UTF-16 units. */
  readonly units: number
  /** Other units that a platform counts, such as styled pieces of text. */
  readonly entities: number
}

/** Size that a piece of text adds next to text with other marks. */
export type SizeOf = (text: string, marks: Marks, neighbour: Marks | undefined) => Size

export const nothing: Size = { units: 0, entities: 0 }

export function sizeOfRuns(runs: readonly Run[], sizeOf: SizeOf): Size {
  return runs.reduce(
    (size, { text, marks }, index) => add(size, sizeOf(text, marks, runs[index - 1]?.marks)),
    nothing,
  )
}

export function add(a: Size, b: Size): Size {
  return { units: a.units + b.units, entities: a.entities + b.entities }
}

export function fits(size: Size, limit: Size): boolean {
  return size.units <= limit.units && size.entities <= limit.entities
}
