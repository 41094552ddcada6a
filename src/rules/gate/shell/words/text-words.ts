import type { Command, CommandExpansionPart, DoubleQuotedChild, Word, WordPart } from 'unbash'
import { braceWords } from './brace-words.ts'
import { numberOf, wordValue } from './known-word.ts'
import { expands, signHazards, toWords, wordHazards } from './word-hazards.ts'

/** How a program takes one of its words: what bash makes of it must be in the text, or it is shown and nothing else. */
export type WordUse = 'literal' | 'text' | 'listed' | 'names' | 'filters' | 'opened'

/** Programs that neither open, run nor evaluate their arguments. `test` and `[` do: by `-v`, which a word may expand to. */
const showsOnly: ReadonlySet<string> = new Set(
  'echo true false : exit sleep seq basename dirname expr'.split(' '),
)

/** Programs that tell a size or a checksum of files. */
const namesOnly = /^(?:wc|cksum|sum|md5sum|b2sum|sha(?:1|224|256|384|512)sum)$/

/** What the words behind a program are to it. Only bare names: `./echo` is another program. */
export function wordUses(command: Command): (index: number) => WordUse {
  const program = command.name?.text ?? ''
  const words = command.suffix.filter((part) => part.type === 'Word')
  if (showsOnly.has(program)) return () => 'text'
  if (program === 'ls' || program === 'stat' || program === 'du') return () => 'listed'
  if (namesOnly.test(program)) return () => 'names'
  if (/^(?:[ef]?grep|rg|tar|ag)$/.test(program)) return () => 'filters'
  if (program === 'find') return (index) => (isLookedFor(words, index) ? 'names' : 'literal')
  const isValue = valueUses(program, words)
  if (isValue !== undefined) return (index) => (isValue(index) ? 'text' : 'literal')
  if (program !== 'printf') return () => 'literal'
  // A format that expands could be `-v`, which sets a variable and evaluates its subscript.
  const format = command.args[0]
  const isFixed =
    format?.type === 'Word' &&
    braceWords(format) === undefined &&
    !wordValue(format).startsWith('-')
  return (index) => (isFixed && index > 0 ? 'text' : 'literal')
}

/** `find . -name req*.txt`: names in its place are one that is looked for, and others that `find` refuses. */
function isLookedFor(words: readonly Word[], index: number): boolean {
  const isNamed = /^-i?name$/.test(words[index - 1]?.text ?? '')
  return isNamed && /^\w[\w.*?-]*$/.test(words[index]?.text ?? '')
}

/** `"Authorization: Bearer $TOKEN"`: no name of a file, which would begin with `@`, and no address. */
const header = /^"[A-Za-z][\w-]*: (?:[^"\\`$]|\$\w|\$\{\w+\})*"$/
/** Options of curl that take no value, which the next option might be. */
const flags =
  /^(?:-[fgikLNsSvI]+|--(?:fail|include|insecure|location|silent|show-error|verbose|compressed|head))$/

function isHeader(words: readonly Word[], index: number): boolean {
  const textAt = (at: number): string => words[at]?.text ?? ''
  const before = words[index - 2]?.value ?? ''
  const isFree = !/^[-{]/.test(before) || flags.test(before)
  return isFree && /^(?:-H|--header)$/.test(textAt(index - 1)) && header.test(textAt(index))
}

const unary = /^-[nzfdeswxrL]$/
const binary = /^(?:=|==|!=|-eq|-ne|-gt|-ge|-lt|-le)$/

/** Words of some programs that are values wherever they come from: one word each, which no other meaning can be given. */
function valueUses(
  program: string,
  words: readonly Word[],
): ((index: number) => boolean) | undefined {
  if (program === '[' || program === 'test') return testedBy(program, words)
  const before = (index: number): string => words[index - 1]?.text ?? ''
  if (program === 'git' && words[0]?.text === 'commit')
    return (index) =>
      index > 1 && /^(?:-a?m|--message)$/.test(before(index)) && isWhole(words[index])
  if (program === 'curl') return (index) => isHeader(words, index)
  if (program !== 'jq') return undefined
  return (index) => /^--arg$/.test(words[index - 2]?.text ?? '') && isWhole(words[index])
}

/** `[ -n "$x" ]`, `[ "$x" = y ]`, also negated: the operator stands where nothing else can be meant by it. */
function testedBy(program: string, words: readonly Word[]): (index: number) => boolean {
  const all = program === '[' ? words.slice(0, -1) : words
  const isClosed = program === 'test' || words.at(-1)?.text === ']'
  const from = all[0]?.text === '!' && all.length > 2 ? 1 : 0
  const rest = all.slice(from).map(({ text }) => text)
  const isUnary = rest.length === 2 && unary.test(rest[0] ?? '')
  const isBinary = rest.length === 3 && binary.test(rest[1] ?? '')
  if (!isClosed || !(isUnary || isBinary)) return () => false
  return (index) => isWhole(words[index])
}

/** Whether a word stays one, whatever expands in it. */
function isWhole(word: Word | undefined): boolean {
  const [part] = word?.parts ?? []
  const isNumber = /^\$[?#]$/.test(word?.text ?? '')
  return isNumber || (word?.parts?.length === 1 && part?.type === 'DoubleQuoted')
}

/**
 * Why a word that is only shown still cannot be told from the text. `$name`, `${name}` and `$(…)` may stand in it: what they
 * give is printed. `${x@P}`, `${!x}`, `${x:=…}`, subscripts and arithmetic run or change things, and stay out.
 */
export function textHazards(
  word: Word,
  use: Exclude<WordUse, 'literal'>,
  visit: (part: CommandExpansionPart) => void,
): readonly string[] {
  if (braceWords(word) !== undefined) return signHazards(word)
  const parts = (word.parts ?? []).flatMap((part) => dynamicParts(part))
  if (parts.length === 0) return wordHazards(word)
  const hazards = [...signHazards(word)]
  if (parts.every(({ node }) => node.type === 'Glob')) {
    return isListed(word.text, use) ? hazards : [...hazards, notLiteral('glob')]
  }
  const odd = parts.find(({ node, isQuoted }) => !isShown(node, isQuoted))
  if (odd !== undefined || use !== 'text') {
    return [...hazards, notLiteral(toWords((odd ?? parts[0])?.node.type ?? ''))]
  }
  for (const { node } of parts) if (node.type === 'CommandExpansion') visit(node)
  return expands(withoutParts(word, parts)) ? [...hazards, notLiteral('expansion')] : hazards
}

interface Dynamic {
  readonly node: WordPart | DoubleQuotedChild
  readonly isQuoted: boolean
}

function dynamicParts(part: WordPart): readonly Dynamic[] {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return []
  if (part.type !== 'DoubleQuoted') return [{ node: part, isQuoted: false }]
  return part.parts
    .filter(({ type }) => type !== 'Literal')
    .map((node) => ({ node, isQuoted: true }))
}

function isShown(node: Dynamic['node'], isQuoted: boolean): boolean {
  if (node.type === 'SimpleExpansion') return /^\$(?:[A-Za-z_]\w*|[?#$!@*0-9-])$/.test(node.text)
  if (node.type === 'ParameterExpansion') return /^\$\{#?[A-Za-z_]\w*\}$/.test(node.text)
  if (node.type === 'ArithmeticExpansion') return numberOf(node) !== undefined
  if (node.type !== 'CommandExpansion' || !node.text.startsWith('$(')) return false
  // Outside quotes its output would be a pattern for file names again.
  return isQuoted || !/[*?[\\]/.test(node.text)
}

/** A pattern that lists names of the workspace: nothing that climbs, nothing hidden, nothing that may become an option. */
export function isListed(text: string, use: WordUse): boolean {
  // What it may name was looked at already.
  if (use === 'opened') return true
  // A file of that name would be taken for the same option.
  if (use === 'filters') return /^--(?:include|exclude|exclude-dir|glob)=[\w.*?-]+$/.test(text)
  const isPlain = /^(?!-)(?:[\w@+.,/-]|[*?]|\[[\w-]+\])+$/.test(text) && !text.startsWith('/')
  if (!isPlain || /(?:^|\/)\.(?!\/)(?:\.|[^/]*[*?[])/.test(text)) return false
  // Options of these only change what is shown. One of `wc` names a file whose lines it shows, alone: ended like the rest of
  // what is named, that file is another operand, which `wc` refuses.
  return use === 'text' || use === 'listed' || /^[\w@.]|^\*[\w.-]*\.\w+$/.test(text)
}

function withoutParts(word: Word, parts: readonly Dynamic[]): string {
  let rest = ''
  let at = word.pos
  for (const { node } of parts) {
    rest += word.text.slice(at - word.pos, node.pos - word.pos)
    at = node.end
  }
  return rest + word.text.slice(at - word.pos)
}

function notLiteral(kind: string): string {
  return `it is not made of literal words (${kind})`
}
