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
}

/** Of one line, bytes that are kept. */
export const maxLineBytes = 1000

/** FILE-08: an engine that finds lines in opened files and does not hang on any pattern. */
export interface LineSearch {
  /** Files of a directory that may match, absolute, in any order; undefined: it cannot tell, so all. */
  candidates(root: string): Promise<readonly string[] | undefined>
  /** Lines found, one list for each file. After `limit` matches in all, what remains may be missing. */
  search(files: readonly FileHandle[], query: LineQuery): Promise<readonly (readonly FoundLine[])[]>
  close(): Promise<void>
}
