import type { Command, Word } from 'unbash'
import { wordValue } from './known-word.ts'

const literal = String.raw`[\w@%+=:./-]`

const group = new RegExp(
  String.raw`\{(?:${literal}*(?:,${literal}*)+|(\d{1,4})\.\.(\d{1,4}))\}`,
  'y',
)

const plain = new RegExp(`(?:${literal}|,)+`, 'y')

const maxWords = 64

/** A command's words as its program receives them, as far as the text shows: quotes resolved, brace lists expanded. */
export function commandWords({ name, args }: Pick<Command, 'name' | 'args'>): readonly string[] {
  const known = wordsOf.get(args)
  if (known !== undefined && known.name === name) return known.words
  const words = [name?.value ?? '']
  for (const word of args) {
    if (word.type !== 'Word') words.push(word.text)
    else words.push(...(braceWords(word) ?? [wordValue(word)]))
  }
  wordsOf.set(args, { name, words })
  return words
}

/** By the arguments of a parsed command, which nothing changes: half a dozen checks ask for the words of each command. */
const wordsOf = new WeakMap<
  Command['args'],
  { readonly name: Command['name']; readonly words: readonly string[] }
>()

/**
 * SHELL-12: expands a word with brace lists, `src/{a,b}` or `v{1..3}`, as bash does. Undefined for a word without a list, one
 * that starts with a list other than numbers, and one with quotes, wildcards, expansions or nested lists.
 */
export function braceWords({ text, parts }: Word): readonly string[] | undefined {
  const begins = text.indexOf('{')
  if (parts === undefined || begins === -1) return undefined
  if (begins === 0 && !/^\{\d{1,4}\.\.\d{1,4}\}$/.test(text)) return undefined
  const isPlain = parts.every(({ type }) => type === 'Literal' || type === 'BraceExpansion')
  if (!isPlain || !parts.some(({ type }) => type === 'BraceExpansion')) return undefined
  let words: readonly string[] = ['']
  for (let at = 0; at < text.length; ) {
    const found = pieceAt(text, at)
    if (found === undefined) return undefined
    const { choices, end } = found
    words = words.flatMap((word) => choices.map((choice) => word + choice))
    if (words.length > maxWords) return undefined
    at = end
  }
  return words
}

function pieceAt(text: string, at: number) {
  plain.lastIndex = at
  const run = plain.exec(text)?.[0]
  if (run !== undefined) return { choices: [run], end: plain.lastIndex }
  group.lastIndex = at
  const found = group.exec(text)
  if (found === null) return undefined
  const [list, from, to] = found
  const choices = from === undefined ? list.slice(1, -1).split(',') : range(from, to ?? '')
  return choices === undefined ? undefined : { choices, end: group.lastIndex }
}

/** Ascending only, without leading zeros, which would pad each number. */
function range(from: string, to: string): readonly string[] | undefined {
  const length = Number(to) - Number(from) + 1
  if (/^0\d/.test(from) || /^0\d/.test(to) || length < 1 || length > maxWords) return undefined
  return Array.from({ length }, (_, at) => `${Number(from) + at}`)
}
