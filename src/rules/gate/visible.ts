import { collapseBlanks } from '../../util/text/count-blanks.ts'
import { namedCharacter } from '../../util/text/named-character.ts'

/**
 * APPR-16: text as it may be shown to a person who approves it. Control, zero-width and bidirectional characters stand
 * as `⟨U+200B⟩`, long runs of white space as a count (`⟨⏎×200⟩`); nothing is dropped, and two different texts never look
 * the same, since the marks' own characters are marked too. So are blocks like those that begin a card's lines, and the
 * combining marks that chat platforms strip.
 */
export function makeVisible(text: string): string {
  return collapseBlanks(text.replaceAll(special, namedCharacter))
}

/** Whether text holds what a person cannot see, or blanks that are not plain ones. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

/** Empty pictures of letters and signs that count as no blank: Braille, musical notes, hieroglyphs. */
const empty = String.raw`\u2800\u{1D159}\u{13441}\u{13442}`
const hidden = String.raw`(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}${empty}]|(?! )\p{Zs}`
const invisible = new RegExp(hidden, 'u')
const unfit = String.raw`[⟨⏎␠⇥\u2580-\u259F\u{1FB00}-\u{1FBFF}\u030A\u0333\u033F]`
/** More than two marks on one letter cover what stands around it; one on a sign or a blank changes what that looks like. */
const stacked = String.raw`(?<=\p{M}\p{M})\p{M}|(?<=[^\p{L}\p{M}]|^)\p{M}`
export const stackedMarks: RegExp = new RegExp(stacked, 'u')
const special = new RegExp(`${hidden}|${unfit}|${stacked}`, 'gu')
