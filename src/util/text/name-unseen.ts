import { namedCharacter } from './percent-decoded.ts'

/**
 * Names characters that nobody sees and that a model may still read: bidirectional, zero-width, tags, variation selectors. Those
 * that writing needs stay where it needs them: the joiners in an emoji or between letters of scripts that have them, and the
 * selector after an emoji. Control characters stay: whoever shows the text removes them.
 */
export function nameUnseen(text: string): string {
  return text.replaceAll(unseen, (character, at: number, whole: string) =>
    isNeeded(character, whole.slice(Math.max(0, at - 4), at), whole.slice(at + 1, at + 3))
      ? character
      : namedCharacter(character),
  )
}

const unseen = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const afterEmoji = /[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9]\uFE0F?$/u
const afterLetter = /\p{L}\p{M}*$/u
const afterPlain = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*$/u

function isNeeded(character: string, before: string, after: string): boolean {
  if (character === '\uFE0F') return afterEmoji.test(before) && !before.endsWith('\uFE0F')
  if (character !== '\u200C' && character !== '\u200D') return false
  if (character === '\u200D' && afterEmoji.test(before))
    return /^\p{Extended_Pictographic}/u.test(after)
  return afterLetter.test(before) && !afterPlain.test(before) && /^\p{L}/u.test(after)
}
