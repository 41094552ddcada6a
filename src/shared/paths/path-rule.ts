import { fold } from '../fold.ts'
import { literalOf } from '../glob/compile-glob.ts'
import { type PathGlob, parsePathPattern, toPathGlob } from '../glob/path-glob.ts'
import type { PathForms } from './path-forms.ts'

/** Path pattern of a rule, as used by the gate and again by the executor on the canonical path. */
export interface PathRule {
  readonly pattern: string
  readonly action: 'allow' | 'ask' | 'deny'
  /** GATE-03: patterns of the operator ignore case. */
  readonly foldsCase: boolean
  /** True if the pattern matches any value. */
  readonly matchesAll: boolean
  readonly glob: PathGlob
  /** Glob for folded forms. */
  readonly foldedGlob: PathGlob
  /** Folded name of a pattern without slashes and wildcards: denying it denies any file or directory of that name. */
  readonly name: string | undefined
}

/** Creates a rule. Never throws: an unsupported pattern denies or asks for every path, and allows none. */
export function createPathRule(
  pattern: string,
  action: PathRule['action'],
  foldsCase = false,
): PathRule {
  const fallback = (): boolean => action !== 'allow'
  const reading = action === 'allow' ? 'folded' : 'folded widely'
  return {
    pattern,
    action,
    foldsCase,
    matchesAll: /^\*+$/.test(pattern),
    glob: lazy(() => toPathGlob(pattern) ?? fallback),
    foldedGlob: lazy(() => toPathGlob(pattern, reading) ?? fallback),
    name: nameOf(pattern),
  }
}

/**
 * GATE-07: a deny rule is tried on every form and on any segment; an allow or ask rule only on the normalised path,
 * so that `src/*` does not allow `src/../.env`.
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

/** Compiles on first use, since the patterns of most rules are never tried. */
function lazy(compile: () => PathGlob): PathGlob {
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
