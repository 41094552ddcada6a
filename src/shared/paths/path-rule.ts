import { fold } from '../fold.ts'
import { literalOf } from '../glob/compile-glob.ts'
import { type PathGlob, parsePathPattern, toPathGlob } from '../glob/path-glob.ts'
import type { PathForms } from './path-forms.ts'

/** A rule's pattern as it is tried on paths: by the gate, and again by the executor on what a path really is. */
export interface PathRule {
  readonly pattern: string
  readonly action: 'allow' | 'ask' | 'deny'
  /** GATE-03: the operator's patterns do not care for upper and lower case. */
  readonly foldsCase: boolean
  /** Whether it matches any value at all. */
  readonly matchesAll: boolean
  readonly glob: PathGlob
  /** For folded forms. */
  readonly foldedGlob: PathGlob
  /** Of a pattern without wildcards: what denies it denies a file or directory of that name anywhere. Folded. */
  readonly name: string | undefined
}

/** Never throws: a pattern that is refused where rules are loaded denies or asks for every path, and allows none. */
export function createPathRule(
  pattern: string,
  action: PathRule['action'],
  foldsCase = false,
): PathRule {
  const otherwise = (): boolean => action !== 'allow'
  const reading = action === 'allow' ? 'folded' : 'folded widely'
  return {
    pattern,
    action,
    foldsCase,
    matchesAll: /^\*+$/.test(pattern),
    glob: whenNeeded(() => toPathGlob(pattern) ?? otherwise),
    foldedGlob: whenNeeded(() => toPathGlob(pattern, reading) ?? otherwise),
    name: nameOf(pattern),
  }
}

/**
 * GATE-07: a rule that denies is tried on every form and on the base name in any directory; one that allows or asks only on
 * what the path really is, so that `src/../.env` is not allowed by `src/*`.
 */
export function matchesPath(rule: PathRule, path: PathForms): boolean {
  if (rule.matchesAll) return true
  if (rule.action === 'deny') {
    if (path.folded.some(rule.foldedGlob)) return true
    return rule.name !== undefined && path.foldedSegments.includes(rule.name)
  }
  const { pattern } = rule
  if (pattern.startsWith('/')) return fits(rule, path.absolute)
  if (pattern.startsWith('**')) return fits(rule, path.absolute) || fits(rule, path.relative)
  if (path.inWorkspace) return pattern === '.' || fits(rule, path.relative)
  return pattern.startsWith('../') && fits(rule, path.relative)
}

function fits(rule: PathRule, form: string): boolean {
  return rule.foldsCase ? rule.foldedGlob(fold(form)) : rule.glob(form)
}

/** Most rules speak of commands, or of a directory that no call names: their patterns are never compiled. */
function whenNeeded(compile: () => PathGlob): PathGlob {
  let compiled: PathGlob | undefined
  return (path) => {
    compiled ??= compile()
    return compiled(path)
  }
}

function nameOf(pattern: string): string | undefined {
  if (pattern.includes('/') && !pattern.startsWith('./')) return undefined
  const literal = literalOf(parsePathPattern(pattern) ?? [])
  return literal === undefined || literal === '' ? undefined : fold(literal)
}
