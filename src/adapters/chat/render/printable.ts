import { stripVTControlCharacters } from 'node:util'
import { namedCharacter } from '../../../util/text/named-character.ts'

/** Begins every line of a card, and no other line: nothing that others wrote may hold it (THREAT-23). */
export const cardMarker = '▐'

const lineBreaks = /\r\n?|[\u0085\u2028\u2029]/g
const controls = /(?!\n)\p{Cc}/gu
/** What re-orders or hides its neighbours on the screen. */
const invisibles =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
const markers = /[\u2580-\u259f\u{1fb00}-\u{1fbff}]/gu

/**
 * Text of a model, a tool or a person as a terminal may print it: escape sequences, control characters other than line
 * feeds, and bidirectional and invisible marks are gone, tabs are four blanks, blocks like the card's marker are `|`.
 */
export function toPrintable(text: string): string {
  return stripVTControlCharacters(text.toWellFormed().replaceAll(lineBreaks, '\n'))
    .replaceAll('\t', '    ')
    .replaceAll(controls, '')
    .replaceAll(invisibles, '')
    .replaceAll(markers, '|')
}

/** The same on one line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** Text that a person is about to approve: what `toPrintable` drops stands as `⟨U+001B⟩`, so that nothing is hidden. */
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
