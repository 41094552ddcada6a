import {
  type Assignment,
  type Command,
  type For,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { isOwnAssignment, isOwnName } from './own-name.ts'
import { unwrapped } from './plain-wrappers.ts'
import { baseName } from './programs/program-name.ts'
import { wrappers } from './programs/programs.ts'
import { braceWords, commandWords } from './words/command-words.ts'

/** A word without special characters, quoted or not. */
const plainValue = /^[\w./@:+=%-]{1,100}$/
const wildcards = /^(?!-)[\w.@+,/*?-]{1,100}$/
const maxValues = 20
const maxNodes = 2_000

/**
 * SHELL-12: a script with its first `for … in` written out, each round with the value in the place of `$name`, as far as that
 * is an argument of a command, or a file that it reads. Wildcards stand for all their names at once. Undefined where there is no loop over words
 * that are known, or where something in it may change the variable or leave a round early in another directory.
 */
export function unrollLoop(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text)) return undefined
  const loop = nodesOf(script).find((node) => node.type === 'For')
  const values = loop?.type === 'For' ? valuesOf(loop) : undefined
  if (loop?.type !== 'For' || values === undefined) return undefined
  const name = loop.name.text
  const inner = nodesOf(loop.body)
  if (!isOwnName(name) || inner.some((node) => mayChange(node, name)) || leaves(inner))
    return undefined
  const places = inner.flatMap((node) => placesIn(node, name))
  const from = loop.body.pos
  const to = loop.end - 'done'.length
  const rounds = values.map((value) => written(text, from, to, places, value))
  return `${text.slice(0, loop.pos)}{\n${rounds.join('\n')}\n}${text.slice(loop.end)}`
}

/**
 * SHELL-12: a script without its first literal assignment, `NS=prod; …` or `NS=prod && …`, and with the value in place of `$NS`
 * after it, like a loop of one round.
 */
export function writeOutValue(script: ParsedScript, text: string): string | undefined {
  const found = hasHereText(text) ? undefined : valueAt(script)
  if (found === undefined) return undefined
  const { assignment, from, to } = found
  const { name } = assignment
  const others = nodesOf(script).filter((node) => node !== assignment)
  if (others.length === 0 || others.some((node) => mayChange(node, name))) return undefined
  const later = others.filter(({ pos }) => pos >= to).flatMap((node) => placesIn(node, name))
  const value = { text: unquoted(assignment.value.text), isWildcard: false }
  return text.slice(0, from) + written(text, to, text.length, later, value)
}

/** The text of a here-document is separate from its command, and cutting a script may move or lose it. */
function hasHereText(text: string): boolean {
  return text.includes('<<')
}

interface StatedValue {
  readonly assignment: Assignment & { readonly value: Word }
  /** The range of the text to remove. */
  readonly from: number
  readonly to: number
}

function valueAt({ commands }: ParsedScript): StatedValue | undefined {
  for (const [index, { command, background }] of commands.entries()) {
    if (background === true) return undefined
    const [first, next] =
      command.type === 'AndOr' && command.operators[0] === '&&'
        ? command.commands
        : [command, commands[index + 1]]
    if (first === undefined || next === undefined) continue
    const assignment = assignmentIn(first)
    if (assignment !== undefined) return { assignment, from: first.pos, to: next.pos }
  }
  return undefined
}

function assignmentIn(node: SyntaxNode): StatedValue['assignment'] | undefined {
  if (node.type !== 'Command' || node.name !== undefined || node.redirects.length > 0)
    return undefined
  const [only, ...more] = node.prefix
  if (only === undefined || more.length > 0 || !isOwnAssignment(only)) return undefined
  const { value } = only
  return plainValue.test(unquoted(value.text)) ? only : undefined
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text
}

/** Without nodes of substitutions, which have a text of their own. */
function nodesOf(root: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  const stack: SyntaxNode[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (found.length >= maxNodes) return []
    found.push(node)
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => {
      if (child.type !== 'Script') children.push(child)
    })
    stack.push(...children.reverse())
  }
  return found
}

interface Value {
  readonly text: string
  readonly isWildcard: boolean
}

function valuesOf({ wordlist = [] }: For): readonly Value[] | undefined {
  const values = wordlist.map(valuesIn)
  const known = values.flatMap((found) => found ?? [])
  const isKnown = !values.includes(undefined) && known.length > 0
  return isKnown && known.length <= maxValues ? known : undefined
}

function valuesIn(word: Word): readonly Value[] | undefined {
  const texts = braceWords(word) ?? [word.text]
  if (texts.every((text) => plainValue.test(text)))
    return texts.map((text) => ({ text, isWildcard: false }))
  const isWildcard = word.parts?.every(({ type }) => type === 'Literal' || type === 'Glob')
  return isWildcard === true && wildcards.test(word.text)
    ? [{ text: word.text, isWildcard: true }]
    : undefined
}

function mayChange(node: SyntaxNode, name: string): boolean {
  if (node.type === 'For') return node.name.text === name
  if (node.type === 'Assignment') return node.name === name
  if (node.type === 'Function' || node.type === 'Select') return true
  // Commands that read into variables, change the meaning of later words, run text that may do so, or hide such a command.
  const program = node.type === 'Command' ? (node.name?.value ?? '') : ''
  return /^(?:read|mapfile|readarray|getopts|eval|source|\.|export|declare|local|typeset|unset|let|printf|wait|command|builtin|exec|trap|readonly|set|shopt|enable|alias|coproc|shift|select)$/.test(
    program,
  )
}

function leaves(nodes: readonly SyntaxNode[]): boolean {
  const names = nodes.map((node) => (node.type === 'Command' ? node.name?.value : undefined))
  return (
    names.some((name) => name === 'break' || name === 'continue') &&
    names.some((name) => /^(?:cd|pushd|popd)$/.test(name ?? ''))
  )
}

interface Place {
  readonly pos: number
  readonly end: number
  /** The quoted word around it, if it contains nothing else. */
  readonly word: { readonly pos: number; readonly end: number } | undefined
  readonly isInSum?: boolean
}

const number = /^(?:0|[1-9]\d{0,14})$/

function placesIn(node: SyntaxNode, name: string): readonly Place[] {
  const words = node.type === 'Command' ? argumentsOf(node) : []
  const loops = node.type === 'For' ? (node.wordlist ?? []) : []
  // What is written to a file that only a variable names asks.
  const read = node.type === 'Redirect' && node.operator === '<' ? (node.target ?? []) : []
  return [...words, ...loops, ...[read].flat()]
    .filter(({ text }) => !text.includes('{') || text.includes(`\${${name}}`))
    .filter((word) => !word.parts?.some(({ type }) => type === 'BraceExpansion'))
    .flatMap((word) => placesInWord(word, name))
}

/** Empty if one of them may be a program's name. */
function argumentsOf(command: Command): readonly Word[] {
  const [program = ''] = unwrapped(commandWords(command))
  if (wrappers.has(baseName(program))) return []
  return command.args.filter((part) => part.type === 'Word')
}

function placesInWord(word: Word, name: string): readonly Place[] {
  const parts = (word.parts ?? []).flatMap((part) =>
    part.type === 'DoubleQuoted' ? [...part.parts] : [part],
  )
  // Unquoted, a file name would be split and expanded again.
  const whole = [`"$${name}"`, `"\${${name}}"`]
  const shown = parts
    .filter(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion')
    .filter(({ text }) => text === `$${name}` || text === `\${${name}}`)
    .map(({ pos, end }) => ({
      pos,
      end,
      word: whole.includes(word.text) ? { pos: word.pos, end: word.end } : undefined,
    }))
  const sums = parts.filter(({ type }) => type === 'ArithmeticExpansion')
  return [...shown, ...sums.flatMap((part) => placesInSum(part, name))]
}

/** In `$((n - 1))`: bash calculates with what the text of a variable says, so that only a number may be written out. */
function placesInSum({ pos, text }: { pos: number; text: string }, name: string): readonly Place[] {
  if (!/^\$\(\([\w \t$+*/%()-]*\)\)$/.test(text)) return []
  return [...text.matchAll(new RegExp(String.raw`\$?\b${name}\b`, 'g'))].map((found) => ({
    ...{ pos: pos + found.index, end: pos + found.index + found[0].length },
    ...{ word: undefined, isInSum: true },
  }))
}

function written(
  text: string,
  from: number,
  to: number,
  places: readonly Place[],
  value: Value,
): string {
  let round = ''
  let at = from
  for (const place of [...places].sort((one, other) => one.pos - other.pos)) {
    const target = value.isWildcard ? place.word : place
    if (target === undefined || (place.isInSum === true && !number.test(value.text))) continue
    round += text.slice(at, target.pos) + value.text
    at = target.end
  }
  return round + text.slice(at, to)
}
