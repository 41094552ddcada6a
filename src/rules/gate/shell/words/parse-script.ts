import { type ParsedScript, parse } from 'unbash'

/** Longer commands ask; deny rules still apply to them. */
export const askCharacters = 10_000
/** Longer commands are refused. */
export const maxCharacters = 65_536

const maxOpenings = 300

/**
 * Parses a bash syntax tree; undefined if the parser failed or would take too long: deep nesting and many here-documents take
 * quadratic time. `openings`: their number outside quotes, from our own lexer.
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
