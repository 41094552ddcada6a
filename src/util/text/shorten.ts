/** The first `units` UTF-16 units of a text; a surrogate pair is not split. */
export function beginningOf(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/u, '')
}

/** Shortens a text to at most `units` UTF-16 units, with `…` if cut; a surrogate pair is not split. */
export function shorten(text: string, units: number): string {
  return text.length <= units ? text : `${beginningOf(text, units - 1)}…`
}

const maxRun = 8

/**
 * Replaces long runs of blanks, tabs and line breaks by a count (`⟨⏎×200⟩`), so that they cannot push what follows out of sight.
 * Many line breaks are counted with the blanks between them; else only runs of one kind.
 */
export function collapseBlanks(text: string): string {
  return text.replaceAll(/[ \t\n]{9,}/g, counted)
}

function counted(run: string): string {
  const pushesAway = run.split('\n').length - 1 > maxRun
  return run.replaceAll(/ +|\t+|\n+/g, (same) =>
    pushesAway || same.length > maxRun ? `⟨${sign(same)}×${same.length}⟩` : same,
  )
}

function sign(same: string): string {
  if (same.startsWith('\n')) return '⏎'
  return same.startsWith('\t') ? '⇥' : '␠'
}
