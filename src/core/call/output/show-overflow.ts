import { overflowWindow } from './overflow-window.ts'
import { searchLines } from './search-lines.ts'

export interface OverflowRequest {
  readonly content: string
  /** RE2 pattern; undefined: all lines. */
  readonly pattern: string | undefined
  /** Number of lines or matches to skip and to show. */
  readonly offset: number
  readonly limit: number
  /** UTF-16 units to skip in the first of them. */
  readonly column: number
  /** Maximum UTF-16 units shown. */
  readonly room: number
}

export type ShownOverflow =
  | { readonly kind: 'window'; readonly text: string }
  /** `why` completes “the regular expression …”. */
  | { readonly kind: 'refused'; readonly why: string }

/** OUT-09: shows lines of a stored text, or matching lines, with their position in the whole. */
export function showOverflow(question: OverflowRequest): ShownOverflow {
  const { content, pattern, offset, limit } = question
  if (pattern === undefined) {
    const all = content.split('\n')
    const lines = all.slice(offset, offset + limit)
    return shownOf(lines, question, { row: 'line', rows: 'lines', all: `${all.length}` })
  }
  const found = searchLines(content, pattern, question)
  if (found.kind === 'refused') return found
  const { lines, matches, total } = found
  if (matches === 0) return { kind: 'window', text: `[no line of ${total} matches]` }
  const all = `${matches}, in ${total} lines`
  return shownOf(lines, question, { row: 'match', rows: 'matches', all })
}

/** Renders the window; `rows`: only the requested ones. */
function shownOf(
  rows: readonly string[],
  question: OverflowRequest,
  words: { readonly row: string; readonly rows: string; readonly all: string },
): ShownOverflow {
  const { offset } = question
  if (rows.length === 0) {
    const text = `[nothing from ${words.row} ${offset + 1} on: there are ${words.all}]`
    return { kind: 'window', text }
  }
  const { text, count, next } = overflowWindow(rows, { ...question, skipped: offset })
  const lines = [`[${words.rows} ${offset + 1} to ${offset + count} of ${words.all}]`, text]
  return { kind: 'window', text: [...lines, ...(next === undefined ? [] : [next])].join('\n') }
}
