import type { Marks, Run } from './run.ts'
import { escapeHtml, sharedTags, tagsOf } from './to-html.ts'

/** What a message takes of the limits that Telegram sets. */
export interface Size {
  /** UTF-16 units after parsing, and those that links would take if the message had to be sent as plain text. */
  readonly units: number
  /** Of the HTML in UTF-8. */
  readonly bytes: number
  readonly entities: number
}

/**
 * Telegram takes 4,096 units after parsing, drops what is beyond 35,000 bytes, and shows at most 100 entities, those
 * that it finds by itself (addresses, hashtags) included.
 */
export const messageLimit: Size = { units: 4_000, bytes: 30_000, entities: 90 }

export const nothing: Size = { units: 0, bytes: 0, entities: 0 }

/** What one more stretch of text adds behind (or before) text with other marks. */
export function sizeOf(text: string, marks: Marks, neighbour: Marks | undefined): Size {
  const tags = tagsOf(marks)
  const opened = tags.slice(neighbour === undefined ? 0 : sharedTags(tagsOf(neighbour), tags))
  const around = opened.reduce(
    (sum, { open, close }) => sum + Buffer.byteLength(open) + close.length,
    0,
  )
  const isNewLink = marks.href !== undefined && marks.href !== neighbour?.href
  return {
    units: text.length + (isNewLink ? marks.href.length + 3 : 0),
    bytes: Buffer.byteLength(escapeHtml(text)) + around,
    entities: opened.length,
  }
}

export function sizeOfRuns(runs: readonly Run[]): Size {
  return runs.reduce(
    (size, { text, marks }, index) => add(size, sizeOf(text, marks, runs[index - 1]?.marks)),
    nothing,
  )
}

export function add(a: Size, b: Size): Size {
  return { units: a.units + b.units, bytes: a.bytes + b.bytes, entities: a.entities + b.entities }
}

export function fits(size: Size, limit: Size): boolean {
  return size.units <= limit.units && size.bytes <= limit.bytes && size.entities <= limit.entities
}
