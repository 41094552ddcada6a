import { isAbsolute, relative, resolve } from 'node:path'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import { fold } from '../../shared/fold.ts'
import { pathPatternProblem, toPathGlob } from '../../shared/glob/path-glob.ts'
import { toPathForms } from '../../shared/paths/path-forms.ts'
import { createPathRule, matchesPath } from '../../shared/paths/path-rule.ts'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { canonicalPath, isWithin } from './canonical-path.ts'

/** How a path is used: what shows content obeys the read rules, what changes files needs a place that may be written. */
export type Use = 'read' | 'write'

/** Answers about canonical paths by one call's rules. */
export interface FileAccess {
  /** The workspace without links. */
  readonly workspace: string
  /** `path` as the box was told it: the workspace by the name that the rules gave it. */
  toNamed(canonical: string): string
  /** The canonical counterpart of a judged path, as far as only the roots themselves are links. */
  fromJudged(judged: string): string
  /** Why `canonical` may not be used, in words, or undefined. */
  whyNot(canonical: string, use: Use): string | undefined
  /** FILE-02, GATE-07: whether a tool that was given a directory may show this entry of it. */
  mayShow(canonical: string): boolean
  /** GATE-07: whether no rule denies this tool the path, whatever it does there. */
  mayTouch(canonical: string): boolean
  /** FILE-05, GATE-12: why what stands at `canonical`, with all below it, may not be taken away or covered. */
  whyNotWhole(canonical: string): string | undefined
}

/** Compiles the rules of one call. A pattern that cannot be checked here ends the call: a rule is never skipped. */
export async function createFileAccess(rules: FileRules): Promise<FileAccess> {
  const workspace = await canonicalPath(resolve(rules.workspace))
  const named = rules.allowed.length === 0 ? [rules.workspace] : rules.allowed
  const roots = await canonicalRoots([...named, rules.workspace])
  const allowed = roots.slice(0, named.length).map((root) => root.canonical)
  const masked = (await canonicalRoots(rules.masked)).map((root) => root.canonical)
  const context = { workspace, roots: [...roots].sort(byLength) }
  const toNamed = (canonical: string): string =>
    rename(canonical, context.roots, 'canonical', 'named')
  const forms = (canonical: string): Forms => formsOf(canonical, workspace, toNamed(canonical))
  const isDenied = compileDenies(rules.denyByRule, workspace, rules.workspace)
  const mayTouch = (canonical: string): boolean => !isDenied(canonical, toNamed(canonical))
  const denyRead = compileAll(rules.denyRead, 'deny')
  const allowRead = compileAll(rules.allowRead, 'allow')
  const whyNot = (canonical: string, use: Use): string | undefined => {
    if (masked.some((place) => isMasked(canonical, place, workspace))) return 'is protected'
    const isInside = allowed.some((root) => isWithin(canonical, root))
    if (use === 'write') return isInside ? undefined : 'lies outside the allowed directories'
    const at = forms(canonical)
    const isAllowed = allowRead(at)
    if (!isInside && !isAllowed) return 'lies outside the allowed directories'
    return denyRead(at) && !isAllowed ? 'may not be read' : undefined
  }
  return {
    workspace,
    toNamed,
    fromJudged: (judged) => rename(resolve('/', judged), context.roots, 'named', 'canonical'),
    whyNot,
    mayShow: (canonical) => whyNot(canonical, 'read') === undefined && mayTouch(canonical),
    mayTouch,
    whyNotWhole: (canonical) => {
      if (roots.some((root) => isWithin(root.canonical, canonical)))
        return 'is or holds an allowed directory'
      return masked.some((place) => isWithin(place, canonical))
        ? 'holds what is protected'
        : undefined
    },
  }
}

/** GATE-12: the data directory is protected save for the session's own workspace, which lies in it. */
function isMasked(canonical: string, place: string, workspace: string): boolean {
  if (!isWithin(canonical, place)) return false
  const holdsWorkspace = place !== workspace && isWithin(workspace, place)
  return !(holdsWorkspace && isWithin(canonical, workspace))
}

/** Ends the call when `canonical` may not be used; `shown` is what the model named. */
export function assertAccess(access: FileAccess, canonical: string, use: Use, shown: string): void {
  const why = access.whyNot(canonical, use)
  if (why !== undefined) fail('policy_blocked', `${showName(shown)} ${why}`)
}

/** Ends the call, nothing done, when the path the gate judged is really another one (threat 1). */
export function assertJudged(
  access: FileAccess,
  judged: readonly string[],
  canonical: readonly string[],
): void {
  const known = new Set(judged.flatMap((path) => [resolve('/', path), access.fromJudged(path)]))
  const isJudged = (path: string): boolean => known.has(path) || known.has(access.toNamed(path))
  if (canonical.every(isJudged)) return
  throw new Refusal({ kind: 'elsewhere', canonical: canonical.map((path) => access.toNamed(path)) })
}

interface Root {
  readonly named: string
  readonly canonical: string
}

/** A root that cannot be resolved, behind a directory closed to us for example, stays as it is written. */
async function canonicalRoots(paths: readonly string[]): Promise<Root[]> {
  return Promise.all(
    paths.map(async (path) => {
      const named = resolve('/', path)
      const canonical = await canonicalPath(named).catch((error: unknown) => {
        if (error instanceof Refusal) return named
        throw error
      })
      return { named, canonical }
    }),
  )
}

/** The longest first: the nearest root gives a path its name. */
function byLength(a: Root, b: Root): number {
  return b.canonical.length - a.canonical.length
}

function rename(path: string, roots: readonly Root[], from: keyof Root, to: keyof Root): string {
  const root = roots.find((candidate) => isWithin(path, candidate[from]))
  if (root === undefined || root.named === root.canonical) return path
  return resolve(root[to], relative(root[from], path))
}

/** GATE-07: the gate's deny rules on a path by each of its names, read by the gate's own code. */
function compileDenies(
  patterns: readonly string[],
  canonicalWorkspace: string,
  namedWorkspace: string,
): (canonical: string, named: string) => boolean {
  const rules = patterns.map((pattern) => {
    assertUsable(pattern)
    return createPathRule(pattern, 'deny')
  })
  if (rules.length === 0) return () => false
  return (canonical, named) => {
    const forms = [toPathForms(canonical, canonicalWorkspace)]
    if (named !== canonical) forms.push(toPathForms(named, namedWorkspace))
    return rules.some((rule) => forms.some((form) => matchesPath(rule, form)))
  }
}

/** The forms in which `deny_read` and `allow_read` may name one path. */
interface Forms {
  readonly absolute: readonly string[]
  /** Undefined outside the workspace; empty for itself. */
  readonly relative: string | undefined
  /** To deny: all of them folded, and by the hidden name that the sender of an upload gave it. */
  readonly folded: readonly string[]
}

function formsOf(canonical: string, workspace: string, named: string): Forms {
  const absolute = named === canonical ? [canonical] : [canonical, named]
  const relative = isWithin(canonical, workspace) ? belowRoot(canonical, workspace) : undefined
  const forms = relative === undefined ? absolute : [...absolute, relative]
  return {
    absolute,
    relative,
    folded: [...forms.map(fold), ...toPathForms(canonical, workspace).uploadForms],
  }
}

/** `path`, which is canonical and within `root`, relative to it. */
function belowRoot(path: string, root: string): string {
  return path.slice(root.endsWith('/') ? root.length : root.length + 1)
}

/**
 * GATE-08 for `deny_read` and `allow_read`. A relative pattern is tried on the path within the workspace; to deny, also on the
 * absolute path, so that `*.env` denies everywhere. Case counts only to allow.
 */
function compileAll(patterns: readonly string[], effect: 'allow' | 'deny'): (at: Forms) => boolean {
  const tests = patterns.map((pattern) => compileOne(pattern, effect))
  return (at) => tests.some((test) => test(at))
}

function compileOne(pattern: string, effect: 'allow' | 'deny'): (at: Forms) => boolean {
  assertUsable(pattern)
  const matches = toPathGlob(pattern, effect === 'allow' ? 'exact' : 'folded widely')
  if (matches === undefined) return () => effect === 'deny'
  if (effect === 'deny') return ({ folded }) => folded.some(matches)
  const isAnywhere = isAbsolute(pattern) || pattern.startsWith('**')
  return ({ absolute, relative: below }) => {
    if (below !== undefined && !isAbsolute(pattern) && matches(below)) return true
    return isAnywhere && absolute.some(matches)
  }
}

function assertUsable(pattern: string): void {
  const problem = pathPatternProblem(pattern)
  if (problem === undefined) return
  fail('policy_blocked', `The rule ${showName(pattern)} cannot be checked: ${problem}`)
}
