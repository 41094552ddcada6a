export interface WindowOptions {
  /** Rows to skip, and how many are wanted. */
  readonly offset: number
  readonly limit: number
  /** So many of the rows to skip are left out already. */
  readonly skipped?: number
  /** Characters to skip in the first row. */
  readonly column: number
  /** UTF-16 units that are shown at most. */
  readonly room: number
}

/** Some rows of a text, and words about where the next ones begin, where the room ended before the wanted ones did. */
export interface OverflowWindow {
  readonly text: string
  readonly count: number
  readonly next: string | undefined
}

/**
 * OUT-09: as many of the wanted rows as there is room for, whole; only the first may be shown in part, when it alone has no room. So
 * every text can be read to its end, one window after the other.
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

/** A character takes two UTF-16 units at most: with less room nothing would ever go on. */
const widest = 2

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

/** Not between the halves of a surrogate pair. */
function withoutHalf(row: string, at: number): number {
  const code = row.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
