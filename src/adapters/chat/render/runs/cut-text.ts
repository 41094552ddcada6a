const segmenter = new Intl.Segmenter()

/** The first characters of a text, with `…` where it was cut: at most so many UTF-16 units. */
export function cutText(text: string, units: number): string {
  return text.length <= units ? text : `${headOf(text, units - 1)}…`
}

/** As much of the beginning as fits, without breaking a character. */
export function headOf(text: string, units: number): string {
  if (text.length <= units) return text
  const start =
    segmenter.segment(text.slice(0, units + longestGrapheme)).containing(units)?.index ?? 0
  return text.slice(0, start > 0 ? start : units).toWellFormed()
}

/** As much of the end as fits, without breaking a character. */
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

/** Looked at around a cut; no character of any script is longer. */
const longestGrapheme = 64
