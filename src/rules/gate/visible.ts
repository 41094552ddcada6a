import { namedCharacter } from '../../util/text/percent-decoded.ts'
import { collapseBlanks } from '../../util/text/shorten.ts'

/**
 * APPR-16: makes text safe to show to an approver. Control, zero-width and bidirectional characters become `⟨U+200B⟩`, long runs
 * of white space a count (`⟨⏎×200⟩`). Nothing is dropped, and different texts never look the same, since the marks' own
 * characters are marked too. So are blocks like those that start a card's lines, and combining marks that chat platforms strip.
 */
export function makeVisible(text: string): string {
  return collapseBlanks(text.replaceAll(special, namedCharacter))
}

/** Whether text holds invisible characters, or blanks other than plain ones. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

/** Letters and signs with an empty glyph that are not classed as blanks: Braille, musical notes, hieroglyphs. */
const empty = String.raw`\u2800\u{1D159}\u{13441}\u{13442}`
const hidden = String.raw`(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${empty}]|(?! )\p{Zs}`
const invisible = new RegExp(hidden, 'u')
const unfit = String.raw`[⟨⏎␠⇥\u276F\u2580-\u259F\u{1FB00}-\u{1FBFF}\u030A\u0333\u033F]`
/** More than two marks on one letter cover the text around it; a mark on a sign or a blank changes its look. */
const stacked = String.raw`(?<=\p{M}\p{M})\p{M}|(?<=[^\p{L}\p{M}]|^)\p{M}`
export const stackedMarks: RegExp = new RegExp(stacked, 'u')
const special = new RegExp(`${hidden}|${unfit}|${stacked}`, 'gu')
