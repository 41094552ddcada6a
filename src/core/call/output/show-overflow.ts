import { searchLines } from './search-lines.ts'

/** A character takes at most two UTF-16 units; with less room a window would never advance. */
const widest = 2

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

interface WindowOptions {
  /** Number of rows to skip and to show. */
  readonly offset: number
  readonly limit: number
  /** Rows to skip that `rows` does not contain. */
  readonly skipped?: number
  /** Characters to skip in the first row. */
  readonly column: number
  /** Maximum UTF-16 units shown. */
  readonly room: number
}

/** Rows of a text, and where the next begin if the room ended before the wanted rows did. */
interface OverflowWindow {
  readonly text: string
  readonly count: number
  readonly next: string | undefined
}

/**
 * OUT-09: returns as many of the wanted rows as fit, whole; only the first may be partial, if it does not fit alone. So every
 * text can be read to its end, window by window.
 */
export function overflowWindow(
  rows: readonly string[],
  { offset, limit, column, room, skipped = 0 }: WindowOptions,
): OverflowWindow {
  const at = offset - skipped
  const first = rows[at]
  if (first === undefined) return { text: '', count: 0, next: undefined }
  const begin = withoutHalf(first, column)
  if (first.length - begin > room) return partOf(first, begin, { offset, room })
  const wanted = [first.slice(begin), ...rows.slice(at + 1, at + limit)]
  const count = fitting(wanted, room)
  const next =
    count < wanted.length ? `[no room for more: go on with offset ${offset + count}]` : undefined
  return { text: wanted.slice(0, count).join('\n'), count, next }
}

function partOf(
  row: string,
  begin: number,
  { offset, room }: Pick<WindowOptions, 'offset' | 'room'>,
): OverflowWindow {
  const fit = withoutHalf(row, begin + room)
  const end = fit > begin ? fit : begin + widest
  const next = `[this line goes on, up to ${row.length} characters: offset ${offset}, column ${end}]`
  return { text: row.slice(begin, end), count: 1, next }
}

function fitting(rows: readonly string[], room: number): number {
  let left = room
  for (const [index, row] of rows.entries()) {
    left -= row.length + (index === 0 ? 0 : 1)
    if (left < 0) return index
  }
  return rows.length
}

/** Moves an index off the middle of a surrogate pair. */
function withoutHalf(row: string, at: number): number {
  const code = row.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
