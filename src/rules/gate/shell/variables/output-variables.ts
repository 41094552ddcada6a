import type { Command, ParsedScript, SyntaxNode, While, Word } from 'unbash'
import { knownWord, numberOf } from '../words/known-word.ts'
import { knownOutput } from './known-outputs.ts'
import { isCount } from './number-variables.ts'
import { isOwnAssignment, isOwnName } from './own-name.ts'
import {
  hasHereText,
  mayChange,
  moves,
  nodesOf,
  placesIn,
  type Value,
  written,
} from './variable-places.ts'

/** A variable whose values are the output of a command. */
interface Binding {
  readonly node: SyntaxNode
  readonly name: string
  readonly value: Value
  readonly scope: readonly SyntaxNode[]
}

/**
 * SHELL-12: a script with substitutions in place of one variable that holds their output: `x=$(…)`, `for x in $(…)`,
 * `… | while read -r x` and `while read -r x; …; done < file`. What sets the variable stays. Undefined if there is none.
 */
export function writeOutOutput(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text)) return undefined
  const nodes = nodesOf(script)
  for (const { node, name, value, scope } of nodes.flatMap((one) => bindingsAt(one, nodes, text))) {
    if (!isOwnName(name) || nodes.some((other) => other !== node && mayChange(other, name)))
      continue
    // Names are those of the directory in which they were found.
    if (value.isInSums !== true && scope.some(moves)) continue
    const places = scope
      .filter((one) => value.isInSums === true || !onlyShows(one))
      .flatMap((one) => placesIn(one, name))
    const result = written(text, 0, text.length, places, value)
    if (result !== text) return result
  }
  return undefined
}

function bindingsAt(
  node: SyntaxNode,
  nodes: readonly SyntaxNode[],
  text: string,
): readonly Binding[] {
  if (node.type === 'Assignment' && isOwnAssignment(node)) {
    const value = assignedOutput(node.value)
    const scope = nodes.filter(({ pos }) => pos >= node.end)
    return value === undefined ? [] : [{ node, name: node.name, value, scope }]
  }
  if (node.type === 'For') {
    const [word, ...more] = node.wordlist ?? []
    const output = word === undefined || more.length > 0 ? undefined : knownOutput(word)
    if (word === undefined || output === undefined || output.isLine) return []
    const value = { text: word.text, isWildcard: output.kind === 'files' }
    return [{ node, name: node.name.text, value, scope: nodesOf(node.body) }]
  }
  return readersAt(node, text).flatMap(({ loop, lines }) => {
    const read = readIn(loop)
    if (read === undefined) return []
    const value = { text: `"$(${lines} | head -n 1)"`, isWildcard: true }
    return [{ ...read, value, scope: nodesOf(loop.body) }]
  })
}

/** `v$(date +%F)`: digits between letters, in double quotes or without. */
const dated = /^[A-Za-z][\w.-]*\$\(date \+["']?[\w.%-]+["']?\)[\w.-]*$/

function assignedOutput(word: Word): Value | undefined {
  const bare = /^"(.*)"$/s.exec(word.text)?.[1] ?? word.text
  if (dated.test(bare) && knownWord(word) !== undefined) return { text: bare, isWildcard: false }
  const [part] = word.parts ?? []
  const inner = part?.type === 'DoubleQuoted' ? part.parts[0] : part
  if (inner?.type !== 'CommandExpansion' || !word.text.endsWith(')') !== word.text.endsWith('"'))
    return undefined
  if (isCount(inner.text)) return { text: '1', isWildcard: false, isInSums: true }
  const isKnown = numberOf(inner) !== undefined || knownOutput(word) !== undefined
  return isKnown && inner.text.length >= word.text.length - 2
    ? { text: inner.text, isWildcard: false }
    : undefined
}

/** Loops over the lines of a pipe or of a file, with the commands that print these lines. */
function readersAt(
  node: SyntaxNode,
  text: string,
): readonly { readonly loop: While; readonly lines: string }[] {
  if (node.type === 'Pipeline')
    return node.commands.flatMap((loop, at) => {
      const [first, last] = [node.commands[0], node.commands[at - 1]]
      const isRead = loop.type === 'While' && first !== undefined && last !== undefined
      return isRead ? [{ loop, lines: text.slice(first.pos, last.end) }] : []
    })
  if (node.type !== 'Redirected' || node.command.type !== 'While') return []
  const [redirect, ...more] = node.redirects
  const isFile = redirect?.type === 'Redirect' && redirect.operator === '<' && more.length === 0
  const file = isFile && redirect.descriptor === undefined ? redirect.target?.text : undefined
  return file === undefined ? [] : [{ loop: node.command, lines: `cat ${file}` }]
}

/** The only command of a loop's condition, if it is `read -r x`. */
function readIn({ kind, clause }: While): Pick<Binding, 'node' | 'name'> | undefined {
  const [statement, ...others] = clause.commands
  const node = statement?.command
  if (kind !== 'while' || others.length > 0 || node?.type !== 'Command') return undefined
  const [option, name, ...more] = node.suffix
  const isPlain = node.prefix.every((part) => part.type === 'Assignment' && part.text === 'IFS=')
  if (node.name?.text !== 'read' || !isPlain || more.length > 0) return undefined
  if (option?.type !== 'Word' || option.text !== '-r' || name?.type !== 'Word') return undefined
  return { node, name: name.text }
}

/**
 * SHELL-12: a script with the first `while read x` as `while read -r x`. The backslashes that only the second one keeps make no
 * difference where the value is only shown, and in a pipe of names the box refuses one that has any.
 */
export function writeOutRead(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text) || !/\bread [A-Za-z_]/.test(text)) return undefined
  for (const loop of nodesOf(script)) {
    const read = loop.type === 'While' ? loop.clause.commands[0]?.command : undefined
    if (loop.type !== 'While' || read?.type !== 'Command' || read.name?.text !== 'read') continue
    const { name, suffix } = read
    const [first] = suffix
    const isName = first?.type === 'Word' && /^[A-Za-z_]\w*$/.test(first.text)
    const isFed = nodesOf(script).some(
      (node) => node.type === 'Pipeline' && node.commands.includes(loop),
    )
    if (isName && (isFed || nodesOf(loop.body).every((node) => mayShow(node, suffix))))
      return `${text.slice(0, name.end)} -r${text.slice(name.end)}`
  }
  return undefined
}

/** Whether a node does not use these variables but to show them. */
function mayShow(node: SyntaxNode, names: Command['suffix']): boolean {
  if (onlyShows(node) || (node.type !== 'Command' && node.type !== 'Redirect')) return true
  const words = node.type === 'Command' ? node.args : [node.target]
  return !words.some((word) =>
    names.some(
      (name) =>
        name.type === 'Word' && word?.text.replaceAll('{', '').includes(`$${name.text}`) === true,
    ),
  )
}

/** Commands that may show a variable with any value. */
function onlyShows(node: SyntaxNode): boolean {
  return node.type === 'Command' && /^(?:echo|printf|test|\[)$/.test(node.name?.text ?? '')
}
