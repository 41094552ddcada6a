import type { Command, CommandExpansionPart, DoubleQuotedChild, Word, WordPart } from 'unbash'
import { isCount } from '../variables/number-variables.ts'
import { connectionName } from '../variables/own-name.ts'
import { braceWords } from './command-words.ts'
import { numberOf, wordValue } from './known-word.ts'
import {
  changedValue,
  expands,
  isLiteralPart,
  signHazards,
  toWords,
  unclear,
  type WordHazard,
  wordHazards,
} from './word-hazards.ts'

/** The use of a word by its program: its value must be known from the text (`literal`), or it is only shown in some way. */
export type WordUse = 'literal' | 'text' | 'listed' | 'names' | 'filters' | 'opened'

/** Programs that never open, run or evaluate their arguments. `test` and `[` may, by `-v`, which a word may expand to. */
const showsOnly: ReadonlySet<string> = new Set(
  'echo true false : exit sleep seq basename dirname expr'.split(' '),
)

/** Programs that show sizes or checksums of files. */
const namesOnly = /^(?:wc|cksum|sum|md5sum|b2sum|sha(?:1|224|256|384|512)sum)$/

/** The uses of the words after a program. Bare names only: `./echo` is another program. */
export function wordUses(command: Command): (index: number) => WordUse {
  const program = command.name?.text ?? ''
  const words = command.suffix.filter((part) => part.type === 'Word')
  if (showsOnly.has(program)) return () => 'text'
  if (program === 'ls' || program === 'stat' || program === 'du') return () => 'listed'
  if (namesOnly.test(program)) return () => 'names'
  const pattern = /^[ef]?grep$/.test(program) ? bracketedPattern(words) : -1
  if (/^(?:[ef]?grep|rg|tar|ag|kubectl|pnpm|turbo|npx|yarn)$/.test(program))
    return (index) => (index === pattern ? 'text' : 'filters')
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

/** `ps aux | grep [n]ode`: a file that it may stand for has a name that is the same pattern. */
function bracketedPattern(words: readonly Word[]): number {
  const at = words.findIndex(({ text }) => !/^-[vicEFwnoqlLhHsrR]+$/.test(text))
  return /^\[\w\]\w[\w.-]*$/.test(words[at]?.text ?? '') ? at : -1
}

/** `find . -name req*.txt`: if it expands to several names, the first is searched and `find` rejects the others. */
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

/** The address of a database from the environment, which no text may set to anything else (`isOwnName`). */
function isConnection(word: Word | undefined): boolean {
  const name = /^"\$(\w+)"$|^"\$\{(\w+)\}"$/.exec(word?.text ?? '')
  return connectionName.test(name?.[1] ?? name?.[2] ?? '')
}

/** A value of `git log` that is text, quoted to its end. */
const logValue = /^--(?:author|committer|grep|since|until|after|before|format|pretty)="[^"\\`]*"$/

/** `"v$VERSION"`, whose first letter keeps it from being an option. */
const prefixed = /^"[A-Za-z][\w.-]*\$(?:\w+|\{\w+\})[\w.-]*"$/
/** `"v$VERSION"..HEAD`, a range of commits whatever the variable holds. */
const sinceTag =
  /^"[A-Za-z][\w.-]*\$(?:\w+|\{\w+\})(?:"\.{2,3}[A-Za-z][\w/-]*|\.{2,3}[A-Za-z][\w/-]*")$/
const shows = /^(?:diff|shortlog|rev-list)$/
/** `"Release $VERSION"` */
const message = /^"[A-Za-z](?:[^"\\`$]|\$\w|\$\{\w+\})*"$/

/** The name of a tag that is made, and the message of it. */
function tagNames(words: readonly Word[]): (index: number) => boolean {
  const isMade = words
    .slice(1)
    .every(({ text }) => !text.startsWith('-') || /^(?:-[asm]+|--(?:annotate|message))$/.test(text))
  return (index) => {
    const text = words[index]?.text ?? ''
    const isText =
      /^(?:-[as]*m|--message)$/.test(words[index - 1]?.text ?? '') && message.test(text)
    return isMade && index > 0 && (isText || prefixed.test(text))
  }
}

const unary = /^-[nzfdeswxrL]$/
const binary = /^(?:=|==|!=|-eq|-ne|-gt|-ge|-lt|-le)$/

/** Words that are single values for some programs wherever they come from, and cannot be anything else. */
function valueUses(
  program: string,
  words: readonly Word[],
): ((index: number) => boolean) | undefined {
  if (program === '[' || program === 'test') return testedBy(program, words)
  const before = (index: number): string => words[index - 1]?.text ?? ''
  if (program === 'git' && words[0]?.text === 'log')
    return (index) =>
      logValue.test(words[index]?.text ?? '') || sinceTag.test(words[index]?.text ?? '')
  if (program === 'git' && words[0]?.text === 'commit')
    return (index) =>
      index > 1 && /^(?:-a?m|--message)$/.test(before(index)) && isWhole(words[index])
  if (program === 'git' && words[0]?.text === 'tag') return tagNames(words)
  if (program === 'git' && shows.test(words[0]?.text ?? ''))
    return (index) => sinceTag.test(words[index]?.text ?? '')
  if (program === 'curl') return (index) => isHeader(words, index)
  if (/^(?:psql|pg_dump|pg_isready|redis-cli|mysql)$/.test(program))
    return (index) => isConnection(words[index]) && (program === 'psql' || before(index) !== '')
  if (program !== 'jq') return undefined
  return (index) => /^--arg$/.test(words[index - 2]?.text ?? '') && isWhole(words[index])
}

/** `[ -n "$x" ]`, `[ "$x" = y ]`, also negated: the position leaves no doubt about the operator. */
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

/** Whether a word stays one word, whatever it expands to. */
function isWhole(word: Word | undefined): boolean {
  const [part] = word?.parts ?? []
  const isNumber = /^\$[?#]$/.test(word?.text ?? '') || isCount(word?.text ?? '')
  return isNumber || (word?.parts?.length === 1 && part?.type === 'DoubleQuoted')
}

/**
 * The reason why a word that is only shown is still not known from the text. `$name`, `${name}` and `$(…)` are allowed, since
 * their output is only printed. `${x@P}`, `${!x}`, `${x:=…}`, subscripts and arithmetic run or change things and are not.
 */
export function textHazards(
  word: Word,
  use: Exclude<WordUse, 'literal'>,
  visit: (part: CommandExpansionPart) => void,
): readonly WordHazard[] {
  if (braceWords(word) !== undefined) return signHazards(word)
  const parts = (word.parts ?? []).flatMap((part) => dynamicParts(part))
  if (parts.length === 0) return wordHazards(word)
  const hazards = [...signHazards(word)]
  if (use === 'opened' && parts.every(isOutput)) {
    for (const { node } of parts) if (node.type === 'CommandExpansion') visit(node)
    return expands(withoutParts(word, parts)) ? [...hazards, notLiteral('expansion')] : hazards
  }
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

/** Of which it was looked at before what it may give. */
function isOutput({ node }: Dynamic): boolean {
  return node.type === 'CommandExpansion' && node.text.startsWith('$(')
}

interface Dynamic {
  readonly node: WordPart | DoubleQuotedChild
  readonly isQuoted: boolean
}

function dynamicParts(part: WordPart): readonly Dynamic[] {
  if (isLiteralPart(part)) return []
  if (part.type !== 'DoubleQuoted') return [{ node: part, isQuoted: false }]
  return part.parts
    .filter(({ type }) => type !== 'Literal')
    .map((node) => ({ node, isQuoted: true }))
}

const changed = new RegExp(String.raw`^\$${changedValue}$`)

function isShown(node: Dynamic['node'], isQuoted: boolean): boolean {
  if (node.type === 'SimpleExpansion') return /^\$(?:[A-Za-z_]\w*|[?#$!@*0-9-])$/.test(node.text)
  if (node.type === 'ParameterExpansion')
    return /^\$\{#?[A-Za-z_]\w*\}$/.test(node.text) || (isQuoted && changed.test(node.text))
  if (node.type === 'ArithmeticExpansion') return numberOf(node) !== undefined
  if (node.type !== 'CommandExpansion' || !node.text.startsWith('$(')) return false
  // Unquoted, its output would be expanded as a file pattern.
  return isQuoted || !/[*?[\\]/.test(node.text)
}

/** A pattern that lists names in the workspace: no `..`, no hidden names, none that may become an option. */
export function isListed(text: string, use: WordUse): boolean {
  // The names it may match were checked already.
  if (use === 'opened') return true
  // A file of that name would be read as the same option.
  if (use === 'filters' && /^(?:-o=?)?(?:custom-columns|jsonpath)=[\w.:,*[\]{}-]+$/.test(text))
    return true
  if (use === 'filters' && /^--filter=(?:\.{3})?\[\w[\w./~^-]*\](?:\.{3})?$/.test(text)) return true
  if (use === 'filters') return /^--(?:include|exclude|exclude-dir|glob)=[\w.*?-]+$/.test(text)
  const isPlain = /^(?!-)(?:[\w@+.,/-]|[*?]|\[[\w-]+\])+$/.test(text) && !text.startsWith('/')
  if (!isPlain || /(?:^|\/)\.(?!\/)(?:\.|[^/]*[*?[])/.test(text)) return false
  // Options of these programs only affect the output. One of `wc` names a file whose lines it shows, but only without operands:
  // the following names are operands, which `wc` then rejects.
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

function notLiteral(kind: string): WordHazard {
  return unclear(`it is not made of literal words (${kind})`)
}
