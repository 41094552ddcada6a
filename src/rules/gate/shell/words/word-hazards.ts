import type { Word, WordPart } from 'unbash'
import type { EffectKind } from '../../../../domain/effect.ts'
import { hasInvisible, stackedMarks } from '../../visible.ts'
import { braceWords } from './command-words.ts'

/** Made when it is needed first, which takes 5 to 30 ms. */
let emoji: RegExp | undefined

/** Characters that look like ASCII: full-width, mathematical, and typographic dashes, slashes and quotes. */
const disguise =
  /[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u2010-\u2015\u2018-\u201F\u2024\u2032-\u2037\u2044\u2212\u2215\u2216\u2223\u2236\u2571\u2572\u29F5\u29F8\u29F9\u037E\u05F4\u0589\uA789\u01C0\u01C3\u02B9-\u02C8\uFE52-\uFE6B]/u

const foreign =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Characters after which a `$` in double quotes is literal in every shell. */
const afterQuoted = /^[ \t\n"./,|);:%^=+~\\\]]?$/

const afterBare = /^[ \t\n;|&)<>]?$/

/** SHELL-12: a tab in bash's `$'…'` quotes; any other text in such quotes asks. */
export const tab = "$'\\t'"

/**
 * SHELL-12: `${x%.ts}`, `${x:-no}`: the value of a variable without its beginning or end, or a text in place of none.
 * Nothing in it is expanded or set.
 */
export const changedValue = String.raw`\{[A-Za-z_]\w*(?:(?::?[-+]|%%?|##?)[\w./*@:+=-]*|\^\^|,,|:\d{1,4}(?::\d{1,4})?)\}`

/** `~ada` at the start of a word, or in one that looks like an assignment, where bash also expands it after `=` and `:`. */
const namesOtherHome = /^(?:[A-Za-z_]\w*\+?=(?:.*:)?)?~(?!\/|$)/s

/** After an assignment these are program names in some shells and keywords in others. */
const keyword =
  /^(?:!|[{}]|\[\[|if|then|elif|else|fi|do|done|case|esac|while|until|for|in|select|function|coproc)$/

/** A reason why a word may mean more than its text shows, and what a card shows for it (CARD-01). */
export interface WordHazard {
  readonly reason: string
  readonly kind: EffectKind
}

export function unclear(reason: string): WordHazard {
  return { reason, kind: 'unanalysable' }
}

/** The reasons why a program's name cannot be taken literally. */
export function programHazards(name: Word): readonly WordHazard[] {
  const hazards: WordHazard[] = []
  if (name.text !== name.value || (name.parts?.length ?? 0) > 0 || /\s/.test(name.value)) {
    hazards.push(unclear('a program name is quoted, escaped or made up'))
  }
  if (keyword.test(name.value))
    hazards.push(unclear('a word of the shell stands where a program should'))
  if (looksAlike(name.value, false) || /[^\x20-\x7E]/.test(name.value)) {
    hazards.push({
      reason: 'a program name holds characters that look like others',
      kind: 'hidden_characters',
    })
  }
  return hazards
}

/** The reasons why a word that must be literal is not. */
export function wordHazards(word: Word): readonly WordHazard[] {
  const hazards = [...literalHazards(word), ...signHazards(word)]
  if (namesOtherHome.test(word.text))
    hazards.push({ reason: "it names another person's home directory", kind: 'names_outside' })
  return hazards
}

/** Suspicious characters in a word, expanded or not. */
export function signHazards(word: Word): readonly WordHazard[] {
  const isQuoted = /^(?:--?[\w-]+=)?["']/.test(word.text)
  return looksAlike(word.value, isQuoted)
    ? [{ reason: 'a word holds characters that look like others', kind: 'hidden_characters' }]
    : []
}

/** Whether bash takes a word literally, apart from its quotes. */
export function isLiteralWord(word: Word): boolean {
  return wordHazards(word).length === 0
}

function literalHazards(word: Word): readonly WordHazard[] {
  if (braceWords(word) !== undefined || isAddress(word)) return []
  const odd = (word.parts ?? []).find((part) => !isLiteralPart(part))
  if (odd !== undefined) return [unclear(`it is not made of literal words (${toWords(odd.type)})`)]
  return expands(word.text) ? [unclear('it is not made of literal words (expansion)')] : []
}

/** A web address whose only wildcards are question marks: no file name can change its scheme or host. */
function isAddress({ text, parts = [] }: Word): boolean {
  const isPlain = parts.every(({ type }) => type === 'Literal' || type === 'Glob')
  return (
    isPlain &&
    /^(?:https?:\/\/[\w.-]+|localhost|127\.0\.0\.1)(?::\d{1,5})?(?:\/[\w.~%+@:=,/-]*)?\?[\w.~%+@:=,/?-]*$/.test(
      text,
    )
  )
}

export function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return true
  if (part.type === 'AnsiCQuoted') return part.text === tab && part.value === '\t'
  return part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')
}

/** Quotes, backslashes and all characters with a special meaning outside them. */
const mayMean = /['"\\$`*?[\]{}()<>;|&!#\n]/

/** Our own check besides the parser's: a `$` or backtick that is neither quoted nor escaped. */
export function expands(text: string): boolean {
  if (!mayMean.test(text)) return false
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (quote === "'") quote = character === "'" ? '' : quote
    else if (character === '\\') at += 1
    else if (character === '`') return true
    else if (quote === '' && text.startsWith(tab, at)) at += tab.length - 1
    else if (character === '$') {
      if (!isPlainDollar(text, at, quote === '"')) return true
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (
      quote === '' &&
      /[*?[\]{}()<>;|&!#\n]/.test(character) &&
      isActive(character, text, at)
    )
      return true
  }
  return quote !== ''
}

/** Whether a character has a special meaning here outside quotes. */
function isActive(character: string, text: string, at: number): boolean {
  if (character === '!' || character === '#') return false
  if (character === '{' || character === '}') return /\{.*(?:,|\.\.).*\}/s.test(text)
  if (character === ']') return text.slice(0, at).includes('[')
  return true
}

/** A node's type in words for the card. */
export function toWords(type: string): string {
  return type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

/** SHELL-12: whether the `$` at an index is literal: a blank, a closing quote or punctuation follows it. */
export function isPlainDollar(text: string, at: number, isQuoted: boolean): boolean {
  const next = text[at + 1] ?? ''
  return (isQuoted ? afterQuoted : afterBare).test(next)
}

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
  if (/^[\x00-\x7F]*$/.test(text)) return text
  emoji ??= /\p{RGI_Emoji}/gv
  return text.replaceAll(emoji, '')
}

/** Whether a word may be mistaken for another: letters of two scripts in one run, or a character that looks like ASCII. */
function looksAlike(value: string, isQuoted: boolean): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
  if (/^[\x00-\x7F]*$/.test(value)) return false
  if (!isQuoted && disguise.test(value)) return true
  return value.split(/[^\p{L}\p{M}]+/u).some((run) => /[A-Za-z]/.test(run) && foreign.test(run))
}
