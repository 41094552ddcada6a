const zero = /^(?:\p{M}|\u200d|[\ufe00-\ufe0f])/u
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u
const segmenter = new Intl.Segmenter()

/** Number of columns of a text without control characters. An approximation: terminals differ on emoji. */
export function displayWidth(text: string): number {
  if (isAscii(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment)
  return width
}

/** Cuts text to a number of columns; `…` marks the cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return columns < 1 ? '' : `${headOfWidth(text, columns - 1)}…`
}

/** Splits text into rows of at most `columns`, at any character; returns at least one row. */
export function splitToWidth(text: string, columns: number): string[] {
  if (text.length <= columns && displayWidth(text) <= columns) return [text]
  const room = Math.max(2, columns)
  const rows: string[] = []
  let start = 0
  let width = 0
  let end = 0
  for (const segment of segmentsOf(text)) {
    const next = segmentWidth(segment)
    if (width + next > room) {
      rows.push(text.slice(start, end))
      start = end
      width = 0
    }
    width += next
    end += segment.length
  }
  return [...rows, text.slice(start)]
}

/**
 * Splits text into rows of at most `columns`, behind blanks, which stay, or within a word that no row has room for: the rows
 * together are the text.
 */
export function splitBehindBlanks(text: string, columns: number): string[] {
  const room = Math.max(2, columns)
  const rows: string[] = []
  let row = ''
  let width = 0
  const end = (): void => {
    if (row !== '') rows.push(row)
    row = ''
    width = 0
  }
  for (const word of text.split(/(?<= )(?! )/)) {
    const own = displayWidth(word)
    const ink = displayWidth(word.trimEnd())
    if (width + ink > room && ink <= room) end()
    for (const segment of width + own <= room ? [word] : segmentsOf(word)) {
      const next = segment === word ? own : segmentWidth(segment)
      if (width + next > room) end()
      row += segment
      width += next
    }
  }
  end()
  return rows.length === 0 ? [''] : rows
}

/** Wraps text into rows of at most `columns`, at blanks, which end there; a word that is too long is split at any character. */
export function wrapToWidth(text: string, columns: number): string[] {
  const room = Math.max(2, columns)
  const rows: string[] = []
  let [start, end, width] = [0, 0, 0]
  let blank: { readonly at: number; readonly width: number } | undefined
  for (const segment of segmentsOf(text)) {
    const next = segmentWidth(segment)
    if (width + next > room) {
      const at: number = segment === ' ' ? end : (blank?.at ?? end)
      rows.push(text.slice(start, at))
      const isAtBlank = segment !== ' ' && blank !== undefined
      width = isAtBlank ? width - (blank?.width ?? 0) - 1 : 0
      start = isAtBlank ? at + 1 : at
      blank = undefined
      if (segment === ' ') {
        end += 1
        start = end
        continue
      }
    }
    if (segment === ' ') blank = { at: end, width }
    width += next
    end += segment.length
  }
  return [...rows, text.slice(start)]
}

/** Graphemes of a text; ASCII needs no segmentation. */
function* segmentsOf(text: string): Iterable<string> {
  if (isAscii(text)) yield* text
  else for (const { segment } of segmenter.segment(text)) yield segment
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

function headOfWidth(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const { segment } of segmenter.segment(text)) {
    width += segmentWidth(segment)
    if (width > columns) break
    end += segment.length
  }
  return text.slice(0, end)
}

function segmentWidth(segment: string): number {
  if (zero.test(segment)) return 0
  return wide.test(segment) || segment.includes('\ufe0f') ? 2 : 1
}
