import type { ParsedScript, SyntaxNode, Word } from 'unbash'
import { isOwnAssignment, isOwnName } from './own-name.ts'
import { hasHereText, mayChange, nodesOf } from './variable-places.ts'

/** Stands for any number: in sums, tests and options that take a number, all numbers have the same effect on the analysis. */
const someNumber = '7'

/** A change of a text. */
interface Edit {
  readonly pos: number
  readonly end: number
  readonly text: string
}

/** A node that sets a variable to a number, if each of the variables in `uses` holds one. */
interface Setting {
  readonly node: SyntaxNode
  readonly name: string
  readonly uses: readonly string[]
}

/**
 * SHELL-12: a script with a number in place of each counter, such as `i=0; while [ $i -lt 5 ]; do …; i=$((i+1)); done`. A counter is
 * a variable that is set before it is used, and only to numbers, counts and sums of such variables: bash evaluates the text of a
 * variable in a sum, so any other text could run a command. Undefined if there is none.
 */
export function writeOutNumbers(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text) || !/\$\(\(|\(\(/.test(text)) return undefined
  const nodes = nodesOf(script)
  const settings = nodes.flatMap((node) => settingsIn(node, text))
  const names = countersOf(nodes, settings, text)
  if (names.size === 0) return undefined
  const edits = nodes.flatMap((node) => editsIn(node, names, text))
  const result = edited(text, edits)
  return result === text ? undefined : result
}

function countersOf(
  nodes: readonly SyntaxNode[],
  settings: readonly Setting[],
  text: string,
): ReadonlySet<string> {
  const own = new Set(settings.map(({ node }) => node))
  const names = new Set(
    settings
      .map(({ name }) => name)
      .filter((name) => isOwnName(name) && isSetFirst(name, settings, text))
      .filter(
        (name) =>
          !nodes.some((node) => !own.has(node) && !isComparison(node) && mayChange(node, name)),
      ),
  )
  for (let size = -1; size !== names.size; ) {
    size = names.size
    for (const { name, uses } of settings)
      if (uses.some((used) => !names.has(used))) names.delete(name)
  }
  return names
}

function isComparison(node: SyntaxNode): boolean {
  return node.type === 'ArithmeticCommand' && comparison.test(node.body)
}

/** Whether the first mention of a name sets it to something else than itself, so that the environment gives no value. */
function isSetFirst(name: string, settings: readonly Setting[], text: string): boolean {
  const first = settings.find((setting) => setting.name === name)
  const at = text.search(new RegExp(String.raw`\b${name}\b`))
  return first !== undefined && !first.uses.includes(name) && at >= first.node.pos
}

function settingsIn(node: SyntaxNode, text: string): readonly Setting[] {
  // An assignment before a program is for that program only.
  if (node.type === 'Command' && node.name === undefined)
    return node.prefix.flatMap((part) => {
      const uses = isOwnAssignment(part) ? numbersIn(part.value) : undefined
      return uses === undefined || part.type !== 'Assignment'
        ? []
        : [{ node: part, name: part.name, uses }]
    })
  if (node.type === 'For') {
    const uses = (node.wordlist ?? []).map(countedIn)
    if (uses.length === 0 || uses.includes(undefined)) return []
    return [{ node, name: node.name.text, uses: uses.flatMap((found) => found ?? []) }]
  }
  if (node.type === 'ArithmeticCommand') {
    const step = stepOf(node.body)
    return step === undefined ? [] : [{ node, ...step }]
  }
  const loop = node.type === 'ArithmeticFor' ? loopIn(text.slice(node.pos, node.end)) : undefined
  return loop === undefined ? [] : [{ node, ...loop }]
}

/** The variables in a word that is a number if they are; undefined for any other word. */
function numbersIn({ text, parts = [] }: Word): readonly string[] | undefined {
  const bare = /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text
  if (/^\d{1,15}$/.test(bare) || isCount(bare)) return []
  const [outer] = parts
  const inner = outer?.type === 'DoubleQuoted' ? outer.parts : parts
  const [only] = inner
  const isAlone = parts.length === 1 && inner.length === 1
  return isAlone && only?.type === 'ArithmeticExpansion' ? sumOf(only.text) : undefined
}

const file = String.raw`(?:[\w./*-]+|"\$\w+"|"\$\{\w+\}")`
const quotedPattern = String.raw`(?:'[^'\n]*'|"[^"$\\${'`'}\n]*"|[\w.-]+)`
/** Seconds, processors, commits, lines of a pipe or of one file. */
const count = new RegExp(
  String.raw`^\$\((?:date \+%s(?:%N)?|nproc|git rev-list --count [\w./~^-]+|grep -[civwEFx]*c[civwEFx]* ${quotedPattern} ${file}|(?:[^()${'`'}$;&|\\\n]+\|)* ?wc -[lwcm](?: ?< ?${file})?)\)$`,
)

/** SHELL-12: whether the text of a substitution says that it gives a number. */
export function isCount(text: string): boolean {
  return count.test(text)
}

/** A word in the list of a loop that is a number or several. */
function countedIn(word: Word): readonly string[] | undefined {
  const isRange = /^\{\d{1,4}\.\.\d{1,4}\}$|^\$\(seq(?: \d{1,6}){1,3}\)$/.test(word.text)
  return isRange ? [] : numbersIn(word)
}

const name = String.raw`[A-Za-z_]\w{0,60}`
const operand = String.raw`(?:\$?${name}|\$\{${name}\}|\d{1,15})`
const sum = new RegExp(
  String.raw`^\$\(\([ \t]*\(*${operand}(?:[ \t)]*[-+*/%][ \t(]*${operand})*[ \t)]*\)\)$`,
)
const named = new RegExp(String.raw`(?<![\w$])(?:\$?(${name})|\$\{(${name})\})`, 'g')

/** The variables of a sum; undefined for anything else that bash evaluates, such as `i++`, `a[1]`, or `$1`. */
function sumOf(text: string): readonly string[] | undefined {
  return sum.test(text) ? namesIn(text) : undefined
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(named)].map(([, bare, braced]) => bare ?? braced ?? '')
}

const step = new RegExp(String.raw`^\s*(${name})\s*(?:\+\+|--|[-+*]?=\s*(${operand}))\s*$`)
const earlyStep = new RegExp(String.raw`^\s*(?:\+\+|--)\s*(${name})\s*$`)

/** `((i++))`, `((n += 2))`, `((n = m))`. */
function stepOf(body: string): Pick<Setting, 'name' | 'uses'> | undefined {
  const [, own, value = ''] = step.exec(body) ?? earlyStep.exec(body) ?? []
  if (own === undefined) return undefined
  const isSet = /^\s*\w+\s*=/.test(body)
  return { name: own, uses: [...namesIn(value), ...(isSet ? [] : [own])] }
}

const comparison = new RegExp(
  String.raw`^\s*${operand}(?:\s*[-+*/%]\s*${operand})*\s*(?:[<>]=?|[=!]=)\s*${operand}(?:\s*[-+*/%]\s*${operand})*\s*$`,
)

/** The header of `for ((i=0; i<n; i++)); do`. */
const header = /^for\s*\(\(([^;()\n]*);([^;()\n]*);([^;()\n]*)\)\)\s*;?\s*do\b/

function loopIn(source: string): Pick<Setting, 'name' | 'uses'> | undefined {
  const [, initial = '', tested = '', update = ''] = header.exec(source) ?? []
  const first = stepOf(initial)
  const last = stepOf(update)
  if (first === undefined || last?.name !== first.name || !comparison.test(tested)) return undefined
  const others = [...namesIn(tested), ...last.uses].filter((used) => used !== first.name)
  return { name: first.name, uses: [...first.uses, ...others] }
}

/** What is written in place of the variables of a node, or of the node itself. */
function editsIn(node: SyntaxNode, names: ReadonlySet<string>, source: string): readonly Edit[] {
  const { pos, end } = node
  const text = source.slice(pos, end)
  const isKnown = (uses: readonly string[]): boolean => uses.every((used) => names.has(used))
  if (node.type === 'ArithmeticExpansion') {
    const uses = sumOf(text)
    return uses !== undefined && isKnown(uses)
      ? [{ pos, end, text: text.replaceAll(named, someNumber) }]
      : []
  }
  if (node.type === 'ArithmeticCommand') {
    const step = stepOf(node.body)
    if (step !== undefined && names.has(step.name))
      return [{ pos, end, text: `${step.name}=${someNumber}` }]
    const isCompared = comparison.test(node.body) && isKnown(namesIn(node.body))
    return isCompared ? [{ pos, end, text: `[ ${someNumber} -lt ${someNumber} ]` }] : []
  }
  if (node.type === 'ArithmeticFor') {
    const loop = loopIn(text)
    const length = header.exec(text)?.[0].length ?? 0
    return loop !== undefined && names.has(loop.name)
      ? [{ pos, end: pos + length, text: `while ${loop.name}=${someNumber}; do` }]
      : []
  }
  return wordsOf(node).flatMap((word) => editsInWord(word, names))
}

/** An option whose value is a number. */
const takesNumber =
  /^(?:-[cnw]|--(?:lines|tail|limit|count|max-count|retries|timeout|max-time|max-depth))$/

/** Words in which a variable that holds a number may have no other meaning. */
function wordsOf(node: SyntaxNode): readonly Word[] {
  if (node.type === 'TestBinary') return [node.left, node.right]
  if (node.type !== 'Command') return []
  const words = node.args.filter((part) => part.type === 'Word')
  if (/^(?:\[|test)$/.test(node.name?.text ?? '')) return words
  return words.filter((_, at) => takesNumber.test(words[at - 1]?.text ?? ''))
}

function editsInWord({ text, pos, end }: Word, names: ReadonlySet<string>): readonly Edit[] {
  const [, bare, braced] = /^"?\$(?:(\w+)|\{(\w+)\})"?$/.exec(text) ?? []
  return names.has(bare ?? braced ?? '') ? [{ pos, end, text: someNumber }] : []
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of [...edits].sort((one, other) => one.pos - other.pos)) {
    if (edit.pos < at) continue
    result += text.slice(at, edit.pos) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}
