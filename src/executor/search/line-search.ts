import type { FileHandle } from 'node:fs/promises'

/** Matching line, or a line of its context. */
export interface FoundLine {
  /** Line number, counted from 1. */
  readonly line: number
  /** Text without its line end; at most `maxLineBytes`. */
  readonly text: string
  readonly isMatch: boolean
}

export interface LineQuery {
  /** Number of context lines before and after each match. */
  readonly context: number
  /** Number of matches after which the search may stop. */
  readonly limit: number
  /** Number of bytes after which the search may stop. */
  readonly maxBytes: number
}

/** Bytes kept of one line. */
export const maxLineBytes = 1000

/** Bytes kept of all lines of a call. */
export const maxFoundBytes = 16 * 1024 * 1024

/** The search engine failed, for example for lack of memory; its output is incomplete. */
export class SearchBroken extends Error {
  override readonly name = 'SearchBroken'
}

/** Returns the bytes that lines count as. */
export function bytesOf(lines: readonly FoundLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 16, 0)
}

/** FILE-08: engine that finds lines in opened files and terminates for every pattern. */
export interface LineSearch {
  /** Returns absolute paths of files in a directory that may match, in any order; undefined for all. */
  candidates(root: string): Promise<readonly string[] | undefined>
  /**
   * Returns the lines found, one list for each file. After `limit` matches or `maxBytes` the rest may be missing. Both
   * methods reject with SearchBroken if the engine failed.
   */
  search(files: readonly FileHandle[], query: LineQuery): Promise<readonly (readonly FoundLine[])[]>
  close(): Promise<void>
}
