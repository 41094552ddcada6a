import { fold } from '../../../shared/fold.ts'
import type { GlobNode } from '../../../shared/glob/glob-node.ts'
import { slash } from '../../../shared/glob/glob-node.ts'
import { parsePathPattern } from '../../../shared/glob/path-glob.ts'
import type { Rule } from '../permissions/rule.ts'

/** A character code, or one of these. */
type Token = number
/** Any text; any text within a name; one character of a name. */
const any = -1
const inName = -2
const one = -3

/**
 * Whether an expansion of a shell wildcard could match a rule's pattern. Alternatives and `**` in the pattern count as any text,
 * so near misses may be reported as matches.
 */
export function mayMatch(rule: Rule, words: readonly ShellGlob[]): boolean {
  return rule.matchesAll || words.some((word) => overlapsAny(word, variantsOf(rule)))
}

/** Whether an expansion could be this path or something below it. */
export function mayLieIn(path: string, word: ShellGlob): boolean {
  return overlapsAny(word, withBelow(charactersOf(path)))
}

export type ShellGlob = readonly Token[]

/** Parses `*`, `?` and `[…]` as the shell does within one name; all other characters are literal. */
export function toShellGlob(text: string): ShellGlob {
  return [...text.matchAll(/\*+|\[[\w-]+\]|./gsu)].map(([piece]) => {
    if (piece.startsWith('*')) return inName
    return piece === '?' || piece.length > 1 ? one : (piece.codePointAt(0) ?? 0)
  })
}

const remembered = new WeakMap<Rule, readonly (readonly Token[])[]>()

function variantsOf(rule: Rule): readonly (readonly Token[])[] {
  const known = remembered.get(rule) ?? variants(fold(rule.pattern))
  remembered.set(rule, known)
  return known
}

/** A `/**` at the end may match nothing; paths below a literal count. An invalid pattern may match anything. */
function variants(pattern: string): readonly (readonly Token[])[] {
  const nodes = parsePathPattern(pattern)
  if (nodes === undefined) return [[any]]
  const isBelow = nodes.at(-1)?.kind === 'below'
  const tokens = (isBelow ? nodes.slice(0, -1) : nodes).map(tokenOf)
  const isLiteral = tokens.every((token) => token >= 0)
  return isBelow || isLiteral ? withBelow(tokens) : [tokens]
}

function tokenOf(node: GlobNode): Token {
  if (node.kind === 'character') return node.code
  return node.kind === 'one' || node.kind === 'set' ? one : any
}

function charactersOf(text: string): readonly Token[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0)
}

function withBelow(tokens: readonly Token[]): readonly (readonly Token[])[] {
  return [tokens, [...tokens, ...(tokens.at(-1) === slash ? [] : [slash]), any]]
}

function overlapsAny(word: ShellGlob, patterns: readonly (readonly Token[])[]): boolean {
  return patterns.some((pattern) => overlap(word, pattern))
}

/** Compares from the ends: whether the remaining tokens of both can match the same text. */
function overlap(left: readonly Token[], right: readonly Token[]): boolean {
  // Most pairs differ in their first or last character.
  if (differs(left[0], right[0]) || differs(left.at(-1), right.at(-1))) return false
  let below: readonly boolean[] = []
  for (let at = left.length; at >= 0; at -= 1) {
    const row: boolean[] = []
    for (let place = right.length; place >= 0; place -= 1) {
      const [a, b] = [left[at], right[place]]
      const skipsLeft = below[place] === true
      const skipsRight = row[place + 1] === true
      row[place] =
        (a === undefined && b === undefined) ||
        (isStar(a) && (skipsLeft || (skipsRight && takes(a, b)))) ||
        (isStar(b) && (skipsRight || (skipsLeft && takes(b, a)))) ||
        (isSame(a, b) && below[place + 1] === true)
    }
    below = row
  }
  return below[0] === true
}

function differs(a: Token = any, b: Token = any): boolean {
  return a >= 0 && b >= 0 && a !== b
}

function isStar(token: Token | undefined): boolean {
  return token === any || token === inName
}

function takes(star: Token | undefined, token: Token | undefined): boolean {
  return token !== undefined && (star === any || token !== slash)
}

function isSame(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined || isStar(a) || isStar(b)) return false
  return a === b || (a === one && b !== slash) || (b === one && a !== slash)
}
