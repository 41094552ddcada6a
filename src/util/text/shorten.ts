/** The first `units` UTF-16 units of a text; a surrogate pair is not split. */
export function beginningOf(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/u, '')
}

/** Shortens a text to at most `units` UTF-16 units, with `…` if cut; a surrogate pair is not split. */
export function shorten(text: string, units: number): string {
  return text.length <= units ? text : `${beginningOf(text, units - 1)}…`
}
