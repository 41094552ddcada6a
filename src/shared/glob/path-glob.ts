import { fold } from '../fold.ts'
import { type CaseReading, compileGlob, literalOf } from './compile-glob.ts'
import type { GlobNode } from './glob-node.ts'
import { parseGlob } from './parse-glob.ts'

/** Whether a path fits a pattern. Never throws. */
export type PathGlob = (path: string) => boolean

const maxPatternCharacters = 256
const maxStarsInSegment = 3

/**
 * GATE-08: a rule's path pattern, read by this code wherever it is read: a star crosses `/`, `**` and a slash may stand for
 * nothing, and a pattern without wildcard also covers what lies below it. `undefined` for what `pathPatternProblem` names.
 */
export function toPathGlob(pattern: string, reading: CaseReading = 'exact'): PathGlob | undefined {
  const nodes = parsePathPattern(reading === 'exact' ? pattern : pattern.normalize('NFC'))
  return nodes === undefined ? undefined : toMatcher(nodes, reading)
}

/** Why a path pattern is refused when it is loaded, in words for the person who wrote it; undefined: it is fine. */
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

/** What is most likely mistyped, and reads as characters where no parser of a configuration says so. */
export function loneBracketProblem(pattern: string): string | undefined {
  const parsed = parseGlob(trimmed(pattern))
  if (parsed.kind === 'refused' || parsed.isBalanced) return undefined
  return 'a bracket has no other half; write "\\" before it for the character itself'
}

/** The nodes that a path pattern is matched by; undefined for one outside the language. */
export function parsePathPattern(pattern: string): readonly GlobNode[] | undefined {
  const parsed = parseGlob(trimmed(pattern))
  return parsed.kind === 'glob' ? parsed.nodes : undefined
}

/** The path that a pattern without wildcards names. */
export function literalPath(pattern: string): string | undefined {
  const nodes = parsePathPattern(pattern)
  return nodes === undefined ? undefined : literalOf(withoutBelow(nodes))
}

/** A path as a pattern that matches nothing but that path and what lies below it. */
export function escapePathGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}!@+(),|]/g, '\\$&')
}

function toMatcher(nodes: readonly GlobNode[], reading: CaseReading): PathGlob {
  const top = withoutBelow(nodes)
  const literal = literalOf(top)
  if (literal === undefined) return compileGlob(nodes, reading)
  const own = reading === 'exact' ? literal : fold(literal)
  const below = own.endsWith('/') ? own : `${own}/`
  return (path) => path === own || path.startsWith(below)
}

/** Without `/**` at the end: behind a literal it says nothing new. */
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
