import type { Marks, Run } from './run.ts'
import { sharedTags, tagsOf } from './to-html.ts'

/** What a message takes of the limits that Telegram sets. */
export interface Size {
  /** UTF-16 units after parsing, and those that links would take if the message had to be sent as plain text. */
  readonly units: number
  readonly entities: number
}

/**
 * Telegram takes 4,096 units after parsing, and shows at most 100 entities, those that it finds by itself (addresses,
 * hashtags) included. It takes 32 KiB of HTML, which no message within these two can reach.
 */
export const messageLimit: Size = { units: 4_000, entities: 90 }

export const nothing: Size = { units: 0, entities: 0 }

/** What one more stretch of text adds behind (or before) text with other marks. */
export function sizeOf(text: string, marks: Marks, neighbour: Marks | undefined): Size {
  const tags = tagsOf(marks)
  const open = neighbour === undefined ? 0 : sharedTags(tagsOf(neighbour), tags)
  const isNewLink = marks.href !== undefined && marks.href !== neighbour?.href
  return {
    units: text.length + (isNewLink ? marks.href.length + 3 : 0),
    entities: tags.length - open,
  }
}

export function sizeOfRuns(runs: readonly Run[]): Size {
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
