import type {
  AndOr,
  Command,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  Word,
  WordPart,
} from 'unbash'
import { looksAlike } from './hidden-characters.ts'
import { runsItsInput } from './runs-its-input.ts'

/**
 * SHELL-03 in its strict form: why a script is more than a list of plain commands. What is accepted is named: pipelines
 * and lists joined by `|`, `&&`, `||`, `;` and line ends, of literal words, with redirections to the null device or to
 * another descriptor. Every other node is a hazard, whatever it is called.
 */
export function structureHazards(script: ParsedScript, text: string): readonly string[] {
  const hazards = new Set<string>()
  const spans: Span[] = []
  for (const statement of script.commands) checkStatement(statement, hazards, spans)
  if (hazards.size === 0 && hasUnreadText(text, spans)) hazards.add('it holds a comment')
  return [...hazards]
}

/** `~ada` at the start of a word, or in one that looks like an assignment, where bash expands it after `=` and `:` too. */
const namesOtherHome = /^(?:[A-Za-z_]\w*\+?=(?:.*:)?)?~(?!\/|$)/s

type Span = readonly [from: number, to: number]
type Hazards = Set<string>

const freeTargets: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

function checkStatement(statement: Statement, hazards: Hazards, spans: Span[]): void {
  if (statement.background === true) hazards.add('it leaves something running in the background')
  const { command } = statement
  const parts = isAndOr(command) ? command.commands : [command]
  for (const part of parts) checkPipeline(part, hazards, spans)
}

function isAndOr(node: PipelineNode | AndOr): node is AndOr {
  return node.type === 'AndOr'
}

function checkPipeline(node: PipelineNode, hazards: Hazards, spans: Span[]): void {
  if (node.type === 'Command') {
    checkCommand(node, hazards, spans)
  } else if (node.type === 'Pipeline') {
    if (node.prefixes.some((prefix) => prefix.type !== 'Negation'))
      hazards.add('time runs a command')
    for (const [index, command] of node.commands.entries()) {
      checkPipeline(command, hazards, spans)
      if (index > 0 && command.type === 'Command') checkFed(command, hazards)
    }
  } else {
    hazards.add(`it is more than a list of commands (${toWords(node.type)})`)
  }
}

/** What a pipe gives is nobody's words: no rule for `curl *` and one for `sh` make a rule for their pipe. */
function checkFed(command: Command, hazards: Hazards): void {
  const args = command.args.map((word) => (word.type === 'Word' ? word.value : word.text))
  const words = [command.name?.value ?? '', ...args]
  if (runsItsInput(words)) hazards.add(`${words[0]} runs what the pipe gives it`)
}

function checkCommand(command: Command, hazards: Hazards, spans: Span[]): void {
  if (command.name === undefined) {
    hazards.add('a part of it has no command')
  } else {
    checkProgram(command.name, hazards)
    spans.push([command.name.pos, command.name.end])
  }
  for (const part of [...command.prefix, ...command.suffix]) {
    spans.push([part.pos, part.end])
    if (part.type === 'Word') checkWord(part, hazards)
    else if (part.type === 'Assignment') hazards.add('it sets a variable')
    else checkRedirection(part, hazards)
  }
}

function checkProgram(name: Word, hazards: Hazards): void {
  if (name.text !== name.value || (name.parts?.length ?? 0) > 0 || /\s/.test(name.value)) {
    hazards.add('a program name is quoted, escaped or made up')
  }
  if (looksAlike(name.value, false) || /[^\x20-\x7E]/.test(name.value)) {
    hazards.add('a program name holds characters that look like others')
  }
}

function checkWord(word: Word, hazards: Hazards): void {
  const parts = word.parts ?? []
  const odd = parts.find((part) => !isLiteral(part))
  if (odd !== undefined) hazards.add(`it is not made of literal words (${toWords(odd.type)})`)
  else if (expands(word.text)) hazards.add('it is not made of literal words (expansion)')
  if (namesOtherHome.test(word.text)) hazards.add("it names another person's home directory")
  const isQuoted = /^(?:--?[\w-]+=)?["']/.test(word.text)
  if (looksAlike(word.value, isQuoted)) hazards.add('a word holds characters that look like others')
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return true
  return part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')
}

/** Our own look at a word's text, beside the parser's: a `$` or backtick that no quote or backslash takes away. */
function expands(text: string): boolean {
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (quote === "'") quote = character === "'" ? '' : quote
    else if (character === '\\') at += 1
    else if (character === '$' || character === '`') return true
    else if (character === quote) quote = ''
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

/** Signs that mean something outside quotes, unless they stand where they mean nothing. */
function isActive(character: string, text: string, at: number): boolean {
  if (character === '!' || character === '#') return false
  if (character === '{' || character === '}') return text === '{}' ? false : /[,.]/.test(text)
  if (character === ']') return text.slice(0, at).includes('[')
  return true
}

function checkRedirection(redirection: Redirection, hazards: Hazards): void {
  if (redirection.type !== 'Redirect') {
    hazards.add('it holds a here-document or here-string')
    return
  }
  const target = redirection.target
  const named = redirection.descriptor?.type === 'FileDescriptorVariable'
  const isCopy =
    (redirection.operator === '>&' || redirection.operator === '<&') &&
    target !== undefined &&
    /^(?:\d{1,2}|-)$/.test(target.text)
  const isFree = target !== undefined && freeTargets.has(target.text) && target.parts === undefined
  if (named || !(isCopy || isFree)) hazards.add('it redirects to or from a file')
}

/** Whether characters of the text belong to no word, operator or blank: what the tree does not tell of. */
function hasUnreadText(text: string, spans: readonly Span[]): boolean {
  let rest = ''
  let at = 0
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    rest += text.slice(at, from)
    at = Math.max(at, to)
  }
  return /[^\s|&;!]/.test(rest + text.slice(at))
}

function toWords(type: string): string {
  return type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}
