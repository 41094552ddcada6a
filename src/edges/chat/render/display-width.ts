const zero = /^(?:\p{M}|\u200d|[\ufe00-\ufe0f])/u
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u
const segmenter = new Intl.Segmenter()

/** How many columns a terminal gives to text without control characters. A good guess: terminals differ on emoji. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment)
  return width
}

/** Cuts text to so many columns, with `…` where something was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return columns < 1 ? '' : `${headOfWidth(text, columns - 1)}…`
}

/** Cuts text into rows of at most so many columns, anywhere; at least one row. */
export function splitToWidth(text: string, columns: number): string[] {
  const rows: string[] = []
  let rest = text
  while (displayWidth(rest) > columns) {
    const head = headOfWidth(rest, Math.max(2, columns))
    rows.push(head)
    rest = rest.slice(head.length)
  }
  return [...rows, rest]
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
