import { type GlobNode, type Repeat, slash } from './glob-node.ts'
import { GlobRefused, parseSet, refuse } from './parse-set.ts'

/** Parsed pattern, or one clause on why it is not supported. */
export type ParsedGlob =
  /** `isBalanced`: every bracket has its counterpart, so that none is read as a literal. */
  | { readonly kind: 'glob'; readonly nodes: readonly GlobNode[]; readonly isBalanced: boolean }
  | { readonly kind: 'refused'; readonly why: string }

export interface GlobOptions {
  /** True if one `*` crosses `/`, as in rules (GATE-08); false if it stays within a segment, as in a search (FILE-04). */
  readonly starCrosses: boolean
}

const repeats: Record<string, Repeat> = { '@': 'once', '?': 'optional', '*': 'many', '+': 'some' }
const maxDepth = 16
/** Limit of the syntax tree, with spans such as `{1..99}` expanded. */
const maxNodes = 1_500

/**
 * Parses `*`, `**`, `?`, `[…]`, `{a,b}`, `{1..9}`, `(a|b)`, `@(…)`, `?(…)`, `*(…)`, `+(…)` and `\`, as picomatch does
 * with `dot` and `bash`. Syntax that programs interpret differently is refused. Never throws.
 */
export function parseGlob(
  pattern: string,
  options: GlobOptions = { starCrosses: true },
): ParsedGlob {
  try {
    return { kind: 'glob', ...new GlobParser([...pattern], options).parse() }
  } catch (error) {
    if (error instanceof GlobRefused) return { kind: 'refused', why: error.message }
    throw error
  }
}

class GlobParser {
  readonly #text: readonly string[]
  readonly #star: GlobNode
  #at = 0
  #depth = 0
  #nodes = 0
  #isBalanced = true

  constructor(text: readonly string[], { starCrosses }: GlobOptions) {
    this.#text = text
    this.#star = { kind: starCrosses ? 'any' : 'name' }
  }

  parse(): { readonly nodes: readonly GlobNode[]; readonly isBalanced: boolean } {
    if (this.#text[0] === '!') refuse('a pattern cannot begin with "!": write a rule that denies')
    const nodes = this.#sequence('')
    return { nodes, isBalanced: this.#isBalanced }
  }

  /** Reads up to one of `ends`, or the end of the pattern. */
  #sequence(ends: string): GlobNode[] {
    const nodes: GlobNode[] = []
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || ends.includes(character)) return nodes
      const read = this.#next(character, nodes.at(-1))
      nodes.push(...read)
      this.#nodes += read.length
      if (this.#nodes > maxNodes) refuse('the pattern stands for too much')
    }
  }

  #next(character: string, before: GlobNode | undefined): readonly GlobNode[] {
    if (character === '{' && this.#hasAfter('}')) return this.#braces()
    return [this.#node(character, before)]
  }

  #node(character: string, before: GlobNode | undefined): GlobNode {
    if (this.#opensGroup()) {
      if (character === '!') refuse('"!(" is not supported: write a rule that denies')
      const repeat = repeats[character]
      if (repeat !== undefined) return this.#group(1, repeat)
    }
    if (character === '*') return this.#stars()
    if (character === '/') return this.#slash(before)
    if (character === '?') return this.#take(1, { kind: 'one' })
    const set = character === '[' ? this.#set() : undefined
    if (set !== undefined) return set
    if (character === '(' && this.#hasAfter(')')) return this.#group(0, 'once')
    if (character === '|') refuse('a "|" outside "(a|b)" separates nothing; write "\\|" for itself')
    if ('()[]{}'.includes(character)) this.#isBalanced = false
    if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1
    return this.#take(1, characterNode(this.#text[this.#at] ?? character))
  }

  #take(count: number, node: GlobNode): GlobNode {
    this.#at += count
    return node
  }

  #stars(): GlobNode {
    const start = this.#at
    while (this.#text[this.#at] === '*' && !this.#opensGroup()) this.#at += 1
    const count = this.#at - start
    const opensName = start === 0 || this.#text[start - 1] === '/'
    if (count === 2 && opensName && this.#text[this.#at] === '/') {
      return this.#take(1, { kind: 'directories' })
    }
    return count === 1 || !opensName ? this.#star : { kind: 'any' }
  }

  #opensGroup(): boolean {
    return this.#text[this.#at + 1] === '(' && this.#hasAfter(')')
  }

  /** A trailing `/**` also matches the directory itself, unless its name ends in a star. */
  #slash(before: GlobNode | undefined): GlobNode {
    const isTail = this.#depth === 0 && this.#text.slice(this.#at).join('') === '/**'
    if (!isTail || before === undefined || before.kind === 'any' || before.kind === 'name') {
      return this.#take(1, { kind: 'character', code: slash })
    }
    return this.#take(3, { kind: 'below' })
  }

  #set(): GlobNode | undefined {
    const found = parseSet(this.#text, this.#at)
    if (found !== undefined) this.#at = found.end
    return found?.set
  }

  /** True if a closing bracket follows; an opening bracket without one is a literal. */
  #hasAfter(close: string): boolean {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === '\\') at += 1
      else if (this.#text[at] === close) return true
    }
    return false
  }

  #group(lead: number, repeat: Repeat): GlobNode {
    this.#at += lead
    const options = this.#options('|', ')')
    if (lead === 0 && options.length === 1) {
      refuse('"(" groups alternatives, as in "(a|b)"; write "\\(" and "\\)" for themselves')
    }
    return { kind: 'choice', options, repeat }
  }

  #braces(): readonly GlobNode[] {
    const start = this.#at
    const end = this.#text.indexOf('}', start)
    const inside = this.#text.slice(start + 1, Math.max(start, end)).join('')
    if (/^[^{,\\/]*\.\.[^{,\\/]*$/.test(inside)) {
      this.#at = end + 1
      const span = toSpan(inside)
      if (span.kind === 'choice') this.#nodes += span.options.flat().length
      return [span]
    }
    const options = this.#options(',', '}')
    const [only = [], other] = options
    // Braces without a comma are literals, as in bash.
    if (other === undefined) return [characterNode('{'), ...only, characterNode('}')]
    return [{ kind: 'choice', options, repeat: 'once' }]
  }

  #options(separator: string, close: string): GlobNode[][] {
    this.#depth += 1
    if (this.#depth > maxDepth) refuse('the pattern is nested too deeply')
    const open = this.#text[this.#at]
    const options: GlobNode[][] = []
    do {
      this.#at += 1
      options.push(this.#sequence(separator + close))
    } while (this.#text[this.#at] === separator)
    if (this.#text[this.#at] !== close) {
      refuse(`a "${open}" has no "${close}" of its own; write "\\${open}" for itself`)
    }
    this.#at += 1
    this.#depth -= 1
    return options
  }
}

function characterNode(character: string): GlobNode {
  return { kind: 'character', code: character.codePointAt(0) ?? 0 }
}

/** Parses `{1..12}` and `{a..f}`; programs interpret other spans differently. */
function toSpan(inside: string): GlobNode {
  const [, low, high] = /^(0|[1-9]\d?)\.\.(0|[1-9]\d?)$/.exec(inside) ?? []
  if (low !== undefined && high !== undefined) {
    const [from, to] = [Number(low), Number(high)].sort((a, b) => a - b) as [number, number]
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
    const options = numbers.map((digits) => [...digits].map(characterNode))
    return { kind: 'choice', options, repeat: 'once' }
  }
  const letters = /^([a-z])\.\.([a-z])$|^([A-Z])\.\.([A-Z])$/.exec(inside)
  if (letters === null) refuse(`the span {${inside}} must be of the form {1..99} or {a..z}`)
  const codes = inside.split('..').map((letter) => letter.charCodeAt(0))
  const range = [Math.min(...codes), Math.max(...codes)] as const
  return { kind: 'set', negated: false, ranges: [range] }
}
