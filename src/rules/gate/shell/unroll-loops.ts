import type { Assignment, For, ParsedScript, SyntaxNode, Word } from 'unbash'
import { isOwnAssignment, isOwnName } from './variables/own-name.ts'
import { isAddress, sequenceIn } from './variables/sequences.ts'
import {
  hasHereText,
  mayChange,
  moves,
  nodesOf,
  placesIn,
  type Value,
  written,
} from './variables/variable-places.ts'
import { braceWords } from './words/command-words.ts'

/** A word without special characters, quoted or not. */
const plainValue = /^[\w./@:+=%-]{1,100}$/
const wildcards = /^(?!-)[\w.@+,/*?-]{1,100}$/
const maxValues = 20
const maxNumbers = 100_000

/**
 * SHELL-12: a script with its first `for … in` written out, each round with the value in the place of `$name`, as far as that
 * is an argument of a command, or a file that it reads. Wildcards stand for all their names at once. Undefined where there is no loop over words
 * that are known, or where something in it may change the variable or leave a round early in another directory.
 */
export function unrollLoop(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text)) return undefined
  const loop = nodesOf(script).find((node) => node.type === 'For' && roundsOf(node) !== undefined)
  const values = loop?.type === 'For' ? roundsOf(loop) : undefined
  if (loop?.type !== 'For' || values === undefined) return undefined
  const name = loop.name.text
  const inner = nodesOf(loop.body)
  if (!isOwnName(name) || inner.some((node) => mayChange(node, name)) || leaves(inner))
    return undefined
  if (nodesOf(script).some((node) => node !== loop && isSetBy(node, name, loop))) return undefined
  // The names were found in the directory of the loop.
  if (values.some(({ isWildcard }) => isWildcard) && !onlyEnters(inner, name)) return undefined
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

/** Whether the directory changes only at the start of subshells, to `"$name"`, which those mention no more but to show it. */
function onlyEnters(nodes: readonly SyntaxNode[], name: string): boolean {
  const subshells = nodes.filter((node) => node.type === 'Subshell')
  const entered = subshells.flatMap((node) => {
    const [first] = node.body.commands
    const list = first?.command
    const start = list?.type === 'AndOr' ? list.commands[0] : list
    return start !== undefined && isEntry(start, name) ? [{ node, start }] : []
  })
  const known = new Set<SyntaxNode>(entered.map(({ start }) => start))
  const areKept = entered.every(({ node, start }) =>
    nodesOf(node.body).every(
      (other) => other === start || isShown(other) || placesIn(other, name).length === 0,
    ),
  )
  return areKept && nodes.every((node) => !moves(node) || known.has(node))
}

/** `cd "$d"` */
function isEntry(node: SyntaxNode, name: string): boolean {
  if (node.type !== 'Command' || node.name?.text !== 'cd' || node.prefix.length > 0) return false
  const [target, ...more] = node.suffix
  return (
    more.length === 0 &&
    [`"$${name}"`, `"\${${name}}"`].includes(target?.type === 'Word' ? target.text : '')
  )
}

function isShown(node: SyntaxNode): boolean {
  return node.type === 'Command' && /^(?:echo|printf)$/.test(node.name?.text ?? '')
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

/** Of a long sequence whose numbers stand in web addresses only, the first and the last one. */
function roundsOf(loop: For): readonly Value[] | undefined {
  const known = valuesOf(loop)
  const [only, ...more] = loop.wordlist ?? []
  if (known !== undefined || only === undefined || more.length > 0) return known
  const numbers = sequenceIn(only, maxNumbers)
  const used = `$${loop.name.text}`
  const isUsed = ({ text }: Word): boolean =>
    text.replaceAll(/[{}]/g, '').includes(used) && !isAddress(text.replaceAll(/\$\{?\w+\}?/g, '7'))
  const isElsewhere = nodesOf(loop.body).some((node) => wordsIn(node).some(isUsed))
  if (numbers === undefined || isElsewhere) return undefined
  return [numbers[0], numbers.at(-1)].map((text) => ({ text: `${text}`, isWildcard: false }))
}

/** The words in whose place a value may be written. */
function wordsIn(node: SyntaxNode): readonly Word[] {
  if (node.type === 'For') return node.wordlist ?? []
  if (node.type === 'Redirect') return [node.target ?? []].flat()
  if (node.type !== 'Command' || isShown(node)) return []
  return node.args.filter((part) => part.type === 'Word')
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
  const numbers = sequenceIn(word)
  if (numbers !== undefined) return numbers.map((text) => ({ text: `${text}`, isWildcard: false }))
  const isWildcard = word.parts?.every(({ type }) => type === 'Literal' || type === 'Glob')
  return isWildcard === true && wildcards.test(word.text)
    ? [{ text: word.text, isWildcard: true }]
    : undefined
}

/** Whether a name has another value too, which the value of a removed loop would hide. */
function isSetBy(node: SyntaxNode, name: string, loop: For): boolean {
  if (node.type === 'Assignment') return node.name === name
  if (node.type === 'For')
    return node.name.text === name && node.pos <= loop.pos && node.end >= loop.end
  const isRead = node.type === 'Command' && node.name?.value === 'read'
  return isRead && node.args.some(({ text }) => text === name)
}

function leaves(nodes: readonly SyntaxNode[]): boolean {
  const names = nodes.map((node) => (node.type === 'Command' ? node.name?.value : undefined))
  return names.some((name) => name === 'break' || name === 'continue') && nodes.some(moves)
}
