import { stripVTControlCharacters } from 'node:util'
import { namedCharacter } from '../../../util/text/percent-decoded.ts'

/** First character of every line of a card, and of no other line: it is removed from foreign text (THREAT-23). */
export const cardMarker = '❯'

const lineBreaks = /\r\n?|[\u0085\u2028\u2029]/g
const controls = /(?!\n)\p{Cc}/gu
/** Characters that reorder or hide their neighbours on screen. */
const invisibles =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
/** Signs like the marker at the start of a line, where they could imitate a card. */
const likeMarker =
  /^([^\S\n]*)[\u00bb\u203a\u276d\u2771\u27e9\u27eb\u29fd\u3009\u300b\u1405\u1433\u227b\u23f5\u25b8\u25ba\u27a4\u2992\u2aab\u2b9e\u2bc8\ufe40\ufe65\uff1e\u{1f782}\u{1f892}]/gmu
const markers = /[\u276f\u2580-\u259f\u{1fb00}-\u{1fbff}]/gu

/**
 * Makes text of a model, tool or person safe for a terminal: removes escape sequences, control characters except line feeds,
 * and bidirectional and invisible characters; replaces tabs with four blanks, and block characters and signs like the card's
 * marker with `|`.
 */
export function toPrintable(text: string): string {
  return stripVTControlCharacters(text.toWellFormed().replaceAll(lineBreaks, '\n'))
    .replaceAll('\t', '    ')
    .replaceAll(controls, '')
    .replaceAll(invisibles, '')
    .replaceAll(markers, '|')
    .replaceAll(likeMarker, '$1|')
}

/** As `toPrintable`, on one line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/**
 * Text that a person is about to approve: characters that `toPrintable` would drop become `⟨U+001B⟩`, so that nothing is
 * hidden.
 */
export function toVisible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '⟨U+000D⟩\n')
    .replaceAll('\t', '    ')
    .replaceAll(/[\u2028\u2029]/g, namedCharacter)
    .replaceAll(controls, namedCharacter)
    .replaceAll(invisibles, namedCharacter)
    .replaceAll(markers, namedCharacter)
}

/** Letters that are written from right to left, as part of a class. */
const fromRight = String.raw`\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}`
const runsFromRight = new RegExp(`[${fromRight}](?:[${fromRight}\\p{M} ]*[${fromRight}])?`, 'gu')

/**
 * CARD-04: isolates what is written from right to left in a line of the product, so that a name cannot turn the order of the
 * words around it. Only for text in which `toVisible` has named foreign marks of direction: none can end an isolate early.
 */
export function isolateFromRight(text: string): string {
  return text.replaceAll(runsFromRight, '\u2068$&\u2069')
}
