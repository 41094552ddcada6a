import { posix } from 'node:path'
import { fold, type Rule } from '../permissions/rule.ts'

/** GATE-07: one path in every form a person could mean. */
export interface PathForms {
  readonly given: string
  /** Normalised, without a trailing slash. */
  readonly absolute: string
  /** From the workspace; `.` for the workspace itself, begins with `../` outside. */
  readonly relative: string
  readonly inWorkspace: boolean
  /** All forms and the base name, case-folded: what deny rules are tried on. */
  readonly folded: readonly string[]
  readonly foldedSegments: readonly string[]
}

/** `directory` is where a relative path starts; `~/` and `$HOME/` are the workspace, which is HOME in the box. */
export function toPathForms(given: string, workspace: string, directory = workspace): PathForms {
  const absolute = toAbsolute(given, workspace, directory)
  const relative = posix.relative(workspace, absolute) || '.'
  const base = posix.basename(absolute)
  const forms = [given, posix.normalize(given), absolute, relative, base]
  return {
    given,
    absolute,
    relative,
    inWorkspace: isWithin(absolute, workspace),
    folded: [...new Set(forms.map(fold))],
    foldedSegments: fold(relative).split('/'),
  }
}

/** Compared by segments: `/work-evil` is not within `/work`. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

/**
 * A rule that denies is tried on every form and on the base name in any directory; one that allows or asks only on
 * what the path really is, so that `src/../.env` is not allowed by `src/*`.
 */
export function matchesPath(rule: Rule, path: PathForms): boolean {
  if (rule.matchesAll) return true
  if (rule.action === 'deny') {
    if (path.folded.some(rule.foldedGlob)) return true
    return rule.isLiteral && path.foldedSegments.includes(fold(rule.pattern))
  }
  const { pattern } = rule
  if (pattern.startsWith('/')) return fits(rule, path.absolute)
  if (pattern.startsWith('**')) return fits(rule, path.absolute) || fits(rule, path.relative)
  if (path.inWorkspace) return pattern === '.' || fits(rule, path.relative)
  return pattern.startsWith('../') && fits(rule, path.relative)
}

function fits(rule: Rule, form: string): boolean {
  return rule.foldsCase ? rule.foldedGlob(fold(form)) : rule.glob(form)
}

function toAbsolute(given: string, workspace: string, directory: string): string {
  const home = /^(?:~|\$HOME)(?=\/|$)/.exec(given)
  const from = home === null ? directory : workspace
  const path = home === null ? given : `./${given.slice(home[0].length)}`
  const absolute = posix.resolve('/', from, path)
  return absolute
}
