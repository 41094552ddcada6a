import { fold } from '../fold.ts'
import { type CaseMode, compileGlob, literalOf } from './compile-glob.ts'
import type { GlobNode } from './glob-node.ts'
import { parseGlob } from './parse-glob.ts'

/** Tests a path against a pattern. Never throws. */
export type PathGlob = (path: string) => boolean

const maxPatternCharacters = 256
const maxStarsInSegment = 3

/**
 * GATE-08: compiles the path pattern of a rule. A star crosses `/`, `**` with a slash may match nothing, and a pattern without
 * wildcards also covers everything below it. Returns undefined for patterns that `pathPatternProblem` rejects.
 */
export function toPathGlob(pattern: string, reading: CaseMode = 'exact'): PathGlob | undefined {
  const nodes = parsePathPattern(reading === 'exact' ? pattern : pattern.normalize('NFC'))
  return nodes === undefined ? undefined : toMatcher(nodes, reading)
}

/** Returns why a path pattern is rejected, in words for its author; undefined if it is valid. */
export function pathPatternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern may not be empty'
  if (pattern.includes('\0')) return 'a pattern cannot hold a NUL character'
  if (pattern.length > maxPatternCharacters) {
    return `a path pattern may have at most ${maxPatternCharacters} characters`
  }
  const crowded = pattern.split('/').some((part) => starsIn(part) > maxStarsInSegment)
  if (crowded) return `at most ${maxStarsInSegment} stars may stand between two slashes`
  const parsed = parseGlob(trimmed(pattern))
  return parsed.kind === 'refused' ? parsed.why : undefined
}

/** Returns a problem for an unbalanced bracket, which would be read as a literal but is most likely a typing error. */
export function loneBracketProblem(pattern: string): string | undefined {
  const parsed = parseGlob(trimmed(pattern))
  if (parsed.kind === 'refused' || parsed.isBalanced) return undefined
  return 'a bracket has no other half; write "\\" before it for the character itself'
}

/** Returns the nodes of a path pattern; undefined if it is not supported. */
export function parsePathPattern(pattern: string): readonly GlobNode[] | undefined {
  const parsed = parseGlob(trimmed(pattern))
  return parsed.kind === 'glob' ? parsed.nodes : undefined
}

/** Returns the path that a pattern without wildcards names. */
export function literalPath(pattern: string): string | undefined {
  const nodes = parsePathPattern(pattern)
  return nodes === undefined ? undefined : literalOf(withoutBelow(nodes))
}

/** Escapes a path as a pattern that matches only that path and everything below it. */
export function escapePathGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}!@+(),|]/g, '\\$&')
}

function toMatcher(nodes: readonly GlobNode[], reading: CaseMode): PathGlob {
  const top = withoutBelow(nodes)
  const literal = literalOf(top)
  if (literal === undefined) return compileGlob(nodes, reading)
  const own = reading === 'exact' ? literal : fold(literal)
  const below = own.endsWith('/') ? own : `${own}/`
  return (path) => path === own || path.startsWith(below)
}

/** Drops a trailing `/**`, which is redundant after a literal. */
function withoutBelow(nodes: readonly GlobNode[]): readonly GlobNode[] {
  return nodes.at(-1)?.kind === 'below' ? nodes.slice(0, -1) : nodes
}

function trimmed(pattern: string): string {
  const text = pattern.startsWith('./') && pattern.length > 2 ? pattern.slice(2) : pattern
  return text.endsWith('/') && text.length > 1 && !text.endsWith('\\/') ? text.slice(0, -1) : text
}

function starsIn(segment: string): number {
  return segment.replaceAll(/\\./g, '').split('*').length - 1
}
