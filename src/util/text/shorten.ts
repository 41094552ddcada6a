/** The beginning of a text in at most so many UTF-16 units; a surrogate pair that does not fit is left out whole. */
export function beginningOf(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/u, '')
}

/** A text in at most so many UTF-16 units, with `…` where some are left out; no surrogate pair is split. */
export function shorten(text: string, units: number): string {
  return text.length <= units ? text : `${beginningOf(text, units - 1)}…`
}
