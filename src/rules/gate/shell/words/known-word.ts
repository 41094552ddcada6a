import type {
  ArithmeticExpansionPart,
  CommandExpansionPart,
  DoubleQuotedChild,
  DoubleQuotedPart,
  Word,
  WordPart,
} from 'unbash'
import { arithmeticAt } from './arithmetic-value.ts'
import { hereTextOf } from './here-text.ts'

/** A word whose expansions are all known from the text: here-documents for `cat` in double quotes, sums, `$(nproc)`. */
export interface KnownWord {
  /** The word to evaluate: its full value, and its text without these parts. */
  readonly word: Word
  readonly substitutions: readonly CommandExpansionPart[]
}

type KnownPart = CommandExpansionPart | ArithmeticExpansionPart

/** Undefined for a word without such a part, or with any other expansion. */
export function knownWord(word: Word): KnownWord | undefined {
  // Most words have no such part.
  if (word.parts === undefined || !/<<|\$\(\(|\$\((?:nproc|id -|date )/.test(word.text))
    return undefined
  const known: KnownPart[] = []
  const parts: WordPart[] = []
  let value = ''
  for (const part of word.parts) {
    const found = part.type === 'DoubleQuoted' ? quoted(part) : plain(part)
    if (found === undefined) return undefined
    value += found.value
    if (found.part !== undefined) parts.push(found.part)
    known.push(...found.known)
  }
  if (known.length === 0) return undefined
  const substitutions = known.filter((part) => part.type === 'CommandExpansion')
  return { word: { ...bare(word, known), value, parts }, substitutions }
}

/** A word's value in bash without quotes, with such parts replaced. */
export function wordValue(word: Word): string {
  return knownWord(word)?.word.value ?? word.value
}

interface Found {
  readonly value: string
  readonly part?: WordPart
  readonly known: readonly KnownPart[]
}

function plain(part: WordPart): Found | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted')
    return { value: part.value, part, known: [] }
  const value = numberOf(part)
  const isKnown = part.type === 'CommandExpansion' || part.type === 'ArithmeticExpansion'
  return isKnown && value !== undefined ? { value, known: [part] } : undefined
}

function quoted(part: DoubleQuotedPart): Found | undefined {
  const known: KnownPart[] = []
  let value = ''
  for (const inner of part.parts) {
    if (inner.type === 'Literal') value += inner.value
    else if (inner.type === 'CommandExpansion' || inner.type === 'ArithmeticExpansion') {
      const text =
        numberOf(inner) ?? (inner.type === 'CommandExpansion' ? hereTextOf(inner) : undefined)
      if (text === undefined) return undefined
      known.push(inner)
      value += text
    } else return undefined
  }
  const parts = part.parts.filter(({ type }) => type === 'Literal')
  return { value, part: { ...part, parts }, known }
}

/** Substitutions that give a number, or digits with signs between them: processors, the user, the group, and a point in time. */
const isNumber =
  /^\$\((?:nproc|id -[ug]|date(?: -u)? ["']?\+["']?(?:[\w.-]*%[FYmdHMSsNjuVy])+[\w.-]*["']?)\)$/

/** A sum of literal numbers, or a substitution of digits, which is kept as it is. */
export function numberOf(part: WordPart | DoubleQuotedChild): string | undefined {
  if (part.type === 'CommandExpansion') return isNumber.test(part.text) ? part.text : undefined
  if (part.type !== 'ArithmeticExpansion') return undefined
  const found = arithmeticAt(part.text, 0)
  return found?.end === part.text.length ? found.value : undefined
}

function bare({ type, pos, end, text }: Word, known: readonly KnownPart[]) {
  let rest = ''
  let at = pos
  for (const part of known) {
    rest += text.slice(at - pos, part.pos - pos)
    at = part.end
  }
  return { type, pos, end, text: rest + text.slice(at - pos) }
}
