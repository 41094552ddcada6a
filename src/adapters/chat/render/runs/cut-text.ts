const segmenter = new Intl.Segmenter()

/** Cuts a text to at most `units` UTF-16 units, including a final `…`. */
export function cutText(text: string, units: number): string {
  return text.length <= units ? text : `${headOf(text, units - 1)}…`
}

/** The start of a text, at most `units` UTF-16 units, without splitting a grapheme. */
export function headOf(text: string, units: number): string {
  if (text.length <= units) return text
  const start =
    segmenter.segment(text.slice(0, units + longestGrapheme)).containing(units)?.index ?? 0
  return text.slice(0, start > 0 ? start : units).toWellFormed()
}

/** The end of a text, at most `units` UTF-16 units, without splitting a grapheme. */
export function tailOfText(text: string, units: number): string {
  if (text.length <= units) return text
  const from = text.length - units
  const base = Math.max(0, from - longestGrapheme)
  const found = segmenter.segment(text.slice(base)).containing(from - base)
  if (found === undefined) return ''
  const isStart = found.index === from - base
  const start = isStart ? from : base + found.index + found.segment.length
  return text.slice(start)
}

/** Context around a cut, in UTF-16 units; no grapheme of any script is longer. */
const longestGrapheme = 64
