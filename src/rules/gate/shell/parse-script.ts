import { type ParsedScript, parse } from 'unbash'

/** Longer commands ask; they are still looked at for what rules deny. */
export const askCharacters = 10_000
/** Longer commands are refused. */
export const maxCharacters = 65_536

const maxOpenings = 300

/** A bash syntax tree, or undefined where the parser gave up or would take too long (deep nesting is quadratic). */
export function parseScript(text: string): ParsedScript | undefined {
  if ((text.match(/[`({]/g) ?? []).length > maxOpenings) return undefined
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
