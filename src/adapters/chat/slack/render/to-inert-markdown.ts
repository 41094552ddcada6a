import { toPrintable, toPrintableLine } from '../../render/printable.ts'
import { headOf } from '../../render/runs/cut-text.ts'

const wordJoiner = '\u2060'
/**
 * What a reference, a link, an address, an entity or an emoji begins with, right before what would make it one. Of `#` only
 * what is no heading.
 */
const openings = /[&@[\]:.](?=\S)|#(?=[^\s#])/g

/**
 * Markdown that Slack may parse, as it does what is streamed: it is still set in bold, in lists and in code, and nothing in it
 * can be a mention, a link or a table (https://docs.slack.dev/messaging/formatting-message-text). For passing messages alone:
 * `<` and `|` are not the characters that they were. What it makes of more of a text begins with what it made of the text,
 * save at the last character.
 */
export function toInertMarkdown(markdown: string): string {
  return toPrintable(markdown)
    .replaceAll('<', '‹')
    .replaceAll('|', '│')
    .replaceAll(openings, `$&${wordJoiner}`)
}

/** The same of one line of plain text, in which there are no marks either; `most` UTF-16 units at most. */
export function toInertLine(text: string, most: number): string {
  const line = toInertMarkdown(toPrintableLine(text)).replaceAll(/[*_~`\\]/g, `$&${wordJoiner}`)
  return line.length <= most ? line : `${headOf(line, most - 1)}…`
}
