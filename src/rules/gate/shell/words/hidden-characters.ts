import { hasInvisible, stackedMarks } from '../../visible.ts'

/** SHELL-03: the reason why a command's characters may not be what they look like. */
export function hiddenCharacters(command: string): string | undefined {
  if (/[\r\v\f]/.test(command)) return 'it holds a carriage return, vertical tab or form feed'
  if (/[\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]/.test(command)) {
    return 'it holds a blank that is not a plain space'
  }
  const plain = withoutEmoji(command)
  if (hasInvisible(plain)) return 'it holds unprintable, invisible or direction-changing characters'
  if (stackedMarks.test(plain)) return 'it holds stacked marks, or marks without a letter'
  if (command.includes('\\\n')) return 'it continues a line with a backslash'
  return undefined
}

/** Emoji sequences joined by invisible characters: a Unicode list, in which nothing can be hidden. */
function withoutEmoji(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
  return /^[\x00-\x7F]*$/.test(text) ? text : text.replaceAll(emoji, '')
}

const emoji = /\p{RGI_Emoji}/gv

/** Characters that look like ASCII: full-width, mathematical, and typographic dashes, slashes and quotes. */
const disguise =
  /[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u2010-\u2015\u2018-\u201F\u2024\u2032-\u2037\u2044\u2212\u2215\u2216\u2223\u2236\u2571\u2572\u29F5\u29F8\u29F9\u037E\u05F4\u0589\uA789\u01C0\u01C3\u02B9-\u02C8\uFE52-\uFE6B]/u

const foreign =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Whether a word may be mistaken for another: letters of two scripts in one run, or a character that looks like ASCII. */
export function looksAlike(value: string, isQuoted: boolean): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
  if (/^[\x00-\x7F]*$/.test(value)) return false
  if (!isQuoted && disguise.test(value)) return true
  return value.split(/[^\p{L}\p{M}]+/u).some((run) => /[A-Za-z]/.test(run) && foreign.test(run))
}
