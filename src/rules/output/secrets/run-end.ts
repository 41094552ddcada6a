/** A regular expression with the flag `g` for what ends a run of characters. */
export type Outside = RegExp

/** Where the run that goes on at `from` ends: one step a character, however long it is, and nothing is kept of them. */
export function runEnd(text: string, from: number, outside: Outside): number {
  outside.lastIndex = from
  return outside.exec(text)?.index ?? text.length
}
