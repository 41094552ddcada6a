import { type ParsedScript, parse } from 'unbash'

/** Longer commands ask; they are still looked at for what rules deny. */
export const askCharacters = 10_000
/** Longer commands are refused. */
export const maxCharacters = 65_536

const maxOpenings = 300

/**
 * A bash syntax tree, or undefined where the parser gave up or would take too long: deep nesting and many here-documents are
 * quadratic. `openings`: how many of them our own reading found outside quotes.
 */
export function parseScript(
  text: string,
  openings: number = text.match(/[`({]|<</g)?.length ?? 0,
): ParsedScript | undefined {
  if (openings > maxOpenings) return undefined
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
