import type { FileHandle } from 'node:fs/promises'

/** A line that matched, or one near it. */
export interface FoundLine {
  /** From 1. */
  readonly line: number
  /** Without its line end; at most `maxLineBytes`. */
  readonly text: string
  readonly isMatch: boolean
}

export interface LineQuery {
  /** Lines before and after each match. */
  readonly context: number
  /** Matches after which the search may stop. */
  readonly limit: number
  /** Bytes of lines after which the search may stop. */
  readonly maxBytes: number
}

/** Of one line, bytes that are kept. */
export const maxLineBytes = 1000

/** Of all lines that one call finds, bytes that are kept. */
export const maxFoundBytes = 16 * 1024 * 1024

/** An engine broke down, for want of memory for one; what it said is not all. */
export class SearchBroken extends Error {
  override readonly name = 'SearchBroken'
}

/** The bytes that lines count for. */
export function bytesOf(lines: readonly FoundLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 16, 0)
}

/** FILE-08: an engine that finds lines in opened files and does not hang on any pattern. */
export interface LineSearch {
  /** Files of a directory that may match, absolute, in any order; undefined: it cannot tell, so all. */
  candidates(root: string): Promise<readonly string[] | undefined>
  /**
   * Lines found, one list for each file. After `limit` matches or `maxBytes` in all, what remains may be missing. Both
   * reject with SearchBroken when the engine broke down.
   */
  search(files: readonly FileHandle[], query: LineQuery): Promise<readonly (readonly FoundLine[])[]>
  close(): Promise<void>
}
