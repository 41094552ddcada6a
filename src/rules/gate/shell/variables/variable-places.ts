import { type Command, forEachChild, type SyntaxNode, type Word } from 'unbash'
import { isReader } from '../../orders/is-reader.ts'
import { unwrapped } from '../plain-wrappers.ts'
import { baseName } from '../programs/program-name.ts'
import { wrappers } from '../programs/programs.ts'
import { commandWords } from '../words/command-words.ts'
import { openedShape } from '../words/file-globs.ts'

const maxNodes = 2_000

/** All nodes, those of substitutions included where they stand in the same text. */
export function nodesOf(root: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  const stack: SyntaxNode[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (found.length >= maxNodes) return []
    found.push(node)
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => {
      if (child.type !== 'Script' || child.source === undefined) children.push(child)
    })
    stack.push(...children.reverse())
  }
  return found
}

/** The text of a here-document is separate from its command, and cutting a script may move or lose it. */
export function hasHereText(text: string): boolean {
  return text.includes('<<')
}

/** A value that is written in place of a variable. */
export interface Value {
  readonly text: string
  /** It may stand for several words, or for one of many: only in place of a whole word. */
  readonly isWildcard: boolean
  /** It is a number of that kind, and only its place in sums is known by it. */
  readonly isInSums?: true
}

/** Whether a node may change the value of a variable. */
export function mayChange(node: SyntaxNode, name: string): boolean {
  if (node.type === 'For') return node.name.text === name
  if (node.type === 'Assignment') return node.name === name
  if (node.type === 'Function' || node.type === 'Select') return true
  if (/^Arithmetic(?:Command|For)$/.test(node.type)) return true
  // Commands that read into variables, change the meaning of later words, run text that may do so, or hide such a command.
  const program = node.type === 'Command' ? (node.name?.value ?? '') : ''
  if (node.type === 'Command' && program === 'printf')
    return !/^(?:'[^'-]|"[^"$`\\-]|[\w%])/.test(node.args[0]?.text ?? '')
  if (node.type === 'Command' && program === 'set')
    return !node.args.every(({ text }) => /^(?:-[eux]*o?|\+x|pipefail)$/.test(text))
  if (node.type === 'Command' && program === 'export')
    return !node.args.every(({ text }) => /^\w+=/.test(text) && !text.startsWith(`${name}=`))
  if (node.type === 'Command' && program === 'read')
    return !node.args.every(({ text }) => /^(?:-r|\w+)$/.test(text) && text !== name)
  return /^(?:read|mapfile|readarray|getopts|eval|source|\.|export|declare|local|typeset|unset|let|printf|wait|command|builtin|exec|trap|readonly|set|shopt|enable|alias|coproc|shift|select)$/.test(
    program,
  )
}

/** Whether a node changes the directory. */
export function moves(node: SyntaxNode): boolean {
  return node.type === 'Command' && /^(?:cd|pushd|popd)$/.test(node.name?.value ?? '')
}

interface Range {
  readonly pos: number
  readonly end: number
  readonly before: string
  readonly after: string
}

export interface Place {
  readonly pos: number
  readonly end: number
  /** The quoted word around it, if it contains nothing else but a beginning and an end that are plain. */
  readonly word: Range | undefined
  /** It is the whole word without quotes, perhaps behind `./`, so that bash splits what it holds. */
  readonly bare?: Range
  readonly isInSum?: boolean
}

const number = /^(?:0|[1-9]\d{0,14})$/

/** Where a variable stands as an argument of a command, in the list of a loop, or as a file that is read. */
export function placesIn(node: SyntaxNode, name: string): readonly Place[] {
  const words = node.type === 'Command' ? argumentsOf(node) : []
  const loops = node.type === 'For' ? (node.wordlist ?? []) : []
  // What is written to a file that only a variable names asks.
  const read = node.type === 'Redirect' && node.operator === '<' ? (node.target ?? []) : []
  // Only of a file that is read it does not matter whether it was there when the names were found.
  const mayEnd =
    node.type === 'Redirect' || (node.type === 'Command' && isReader(commandWords(node)))
  const isShown = node.type === 'Command' && /^(?:echo|printf)$/.test(node.name?.text ?? '')
  return [...words, ...loops, ...[read].flat()]
    .filter(({ text }) => !text.includes('{') || text.includes(`\${${name}}`))
    .filter((word) => !word.parts?.some(({ type }) => type === 'BraceExpansion'))
    .flatMap((word) => placesInWord(word, name, mayEnd, isShown))
}

/** Empty if one of them may be a program's name. */
function argumentsOf(command: Command): readonly Word[] {
  const [program = ''] = unwrapped(commandWords(command))
  if (wrappers.has(baseName(program))) return []
  return command.args.filter((part) => part.type === 'Word')
}

function placesInWord(
  word: Word,
  name: string,
  mayEnd: boolean,
  isShown: boolean,
): readonly Place[] {
  if (!word.text.includes(name)) return []
  const parts = (word.parts ?? []).flatMap((part) =>
    part.type === 'DoubleQuoted' ? [...part.parts] : [part],
  )
  const shown = parts
    .filter(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion')
    .filter(({ text }) => text === `$${name}` || text === `\${${name}}`)
    .map(({ pos, end }) => ({
      pos,
      end,
      word: rangeOf(word, name, mayEnd),
      ...(isShown ? {} : bareOf(word, name)),
    }))
  const sums = parts.filter(({ type }) => type === 'ArithmeticExpansion')
  return [...shown, ...sums.flatMap((part) => placesInSum(part, name))]
}

/** Unquoted, a file name would be split and expanded again. */
function rangeOf({ text, pos, end }: Word, name: string, mayEnd: boolean): Range | undefined {
  const found = new RegExp(
    String.raw`^(\./)?"(\./)?\$(?:\{${name}\}|${name})([\w./-]*)"([\w./*-]*)$`,
  ).exec(text)
  if (found === null) return undefined
  const [, outer = '', inner = '', quoted = '', open = ''] = found
  const after = quoted + open
  if ((after !== '' && !mayEnd) || /(?:^|\/)\.\.?(?:\/|$)|\/\//.test(after)) return undefined
  return { pos, end, before: outer + inner, after }
}

function bareOf({ text, pos, end }: Word, name: string): Pick<Place, 'bare'> {
  const isBare = [`$${name}`, `\${${name}}`].some((own) => text === own || text === `./${own}`)
  return isBare ? { bare: { pos, end, before: '', after: '' } } : {}
}

/** In `$((n - 1))`: bash calculates with what the text of a variable says, so that only a number may be written out. */
function placesInSum({ pos, text }: { pos: number; text: string }, name: string): readonly Place[] {
  if (!/^\$\(\([\w \t$+*/%()-]*\)\)$/.test(text)) return []
  return [...text.matchAll(new RegExp(String.raw`\$?\b${name}\b`, 'g'))].map((found) => ({
    ...{ pos: pos + found.index, end: pos + found.index + found[0].length },
    ...{ word: undefined, isInSum: true },
  }))
}

/** What may make a name that a file called `*` would stand for in a later round. */
const makesNames =
  /\b(?:touch|mkdir|cp|mv|ln|tee|git (?:checkout|switch|restore|stash|mv))\b|(?<![2&])>(?![&>]|\s*\/dev\/null)/

/** Names below here that no quote keeps together: wildcards, and what a listing prints. */
function mayBeBare(text: string): boolean {
  return text.startsWith('$(') || openedShape.test(text)
}

/** A part of a text with a value in place of a variable. */
export function written(
  text: string,
  from: number,
  to: number,
  places: readonly Place[],
  value: Value,
): string {
  let round = ''
  let at = from
  for (const place of [...places].sort((one, other) => one.pos - other.pos)) {
    const isBare = value.isWildcard && place.word === undefined && place.bare !== undefined
    const quoted = value.isWildcard ? place.word : { ...place, before: '', after: '' }
    const target = isBare && mayBeBare(value.text) && !makesNames.test(text) ? place.bare : quoted
    if (value.isInSums === true && place.isInSum !== true) continue
    if (target === undefined || (place.isInSum === true && !number.test(value.text))) continue
    const isBelow = target.after.startsWith('/')
    // A name would go on with other letters.
    if (target.after !== '' && !isBelow && !value.text.endsWith('/')) continue
    // What a listing prints is split at blanks too, and the box refuses names with blanks.
    const own = isBare && !value.text.startsWith('$(') ? `$(ls -d ${value.text})` : value.text
    const begin = isBelow ? own.replace(/\/$/, '') : own
    round += text.slice(at, target.pos) + target.before + begin + target.after
    at = target.end
  }
  return round + text.slice(at, to)
}
