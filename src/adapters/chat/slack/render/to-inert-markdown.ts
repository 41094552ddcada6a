import { toPrintable, toPrintableLine } from '../../render/printable.ts'
import { headOf } from '../../render/runs/cut-text.ts'

const wordJoiner = '\u2060'
/**
 * Starts of references, links, URLs, entities and emoji, directly before the character that would complete them; `#` only if it
 * does not start a heading.
 */
const openings = /[&@[\]:.](?=\S)|#(?=[^\s#])/g

/**
 * Makes markdown inert that Slack may parse, as in streams: bold, lists and code still work, but nothing can become a mention,
 * a link or a table (https://docs.slack.dev/messaging/formatting-message-text). For transient messages only, as `<` and `|` are
 * replaced. The result for a longer text starts with the result for its beginning, except for the last character.
 */
export function toInertMarkdown(markdown: string): string {
  return toPrintable(markdown)
    .replaceAll('<', '‹')
    .replaceAll('|', '│')
    .replaceAll(openings, `$&${wordJoiner}`)
}

/** The same for one line of plain text, where styles are inert too; at most `most` UTF-16 units. */
export function toInertLine(text: string, maxUnits: number): string {
  const line = toInertMarkdown(toPrintableLine(text)).replaceAll(/[*_~`\\]/g, `$&${wordJoiner}`)
  return line.length <= maxUnits ? line : `${headOf(line, maxUnits - 1)}…`
}
