import { isAbsolute, relative, resolve } from 'node:path'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import { fold } from '../../shared/fold.ts'
import { pathPatternProblem, toPathGlob } from '../../shared/glob/path-glob.ts'
import { toPathForms } from '../../shared/paths/path-forms.ts'
import { createPathRule, matchesPath } from '../../shared/paths/path-rule.ts'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { canonicalPath, isWithin } from './canonical-path.ts'

/** Use of a path: `read` is subject to the read rules, `write` requires a writable directory. */
export type Use = 'read' | 'write'

/** Checks canonical paths against the rules of one call. */
export interface FileAccess {
  /** Canonical path of the workspace. */
  readonly workspace: string
  /** Converts a canonical path to the form in which the rules name it. */
  toNamed(canonical: string): string
  /** Converts an evaluated path to its canonical form, resolving only links in the roots. */
  fromJudged(judged: string): string
  /** Returns why `canonical` may not be used; undefined if it may. */
  whyNot(canonical: string, use: Use): string | undefined
  /** FILE-02, GATE-07: true if a directory tool may show this entry. */
  mayShow(canonical: string): boolean
  /** GATE-07: true if no rule denies the path to this tool. */
  mayTouch(canonical: string): boolean
  /**
   * FILE-05, GATE-12: returns why the entry at `canonical`, with everything below it, may not be removed or replaced;
   * undefined if it may.
   */
  whyNotWhole(canonical: string): string | undefined
}

/** Compiles the rules of one call. An unsupported pattern ends the call, since no rule may be skipped. */
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

/** GATE-12: true if a path is masked. The session's workspace inside the data directory is not. */
function isMasked(canonical: string, place: string, workspace: string): boolean {
  if (!isWithin(canonical, place)) return false
  const holdsWorkspace = place !== workspace && isWithin(workspace, place)
  return !(holdsWorkspace && isWithin(canonical, workspace))
}

/** Ends the call if `canonical` may not be used; `shown` is the path as the model wrote it. */
export function assertAccess(access: FileAccess, canonical: string, use: Use, shown: string): void {
  const why = access.whyNot(canonical, use)
  if (why !== undefined) fail('policy_blocked', `${showName(shown)} ${why}`)
}

/** Ends the call before anything is done if an evaluated path resolves to another one (threat 1). */
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

/** Resolves roots; one that cannot be resolved, for example below a closed directory, stays unchanged. */
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

/** Longest first: the nearest root names a path. */
function byLength(a: Root, b: Root): number {
  return b.canonical.length - a.canonical.length
}

function rename(path: string, roots: readonly Root[], from: keyof Root, to: keyof Root): string {
  const root = roots.find((candidate) => isWithin(path, candidate[from]))
  if (root === undefined || root.named === root.canonical) return path
  return resolve(root[to], relative(root[from], path))
}

/** GATE-07: compiles the gate's deny rules, with the gate's code, for all names of a path. */
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

/** Forms in which `deny_read` and `allow_read` may name a path. */
interface Forms {
  readonly absolute: readonly string[]
  /** Path relative to the workspace, empty for itself; undefined outside. */
  readonly relative: string | undefined
  /** Folded forms for denying, including the original hidden name of an upload. */
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

/** Returns a canonical path relative to `root`, which contains it. */
function belowRoot(path: string, root: string): string {
  return path.slice(root.endsWith('/') ? root.length : root.length + 1)
}

/**
 * GATE-08: compiles `deny_read` or `allow_read`. A relative pattern matches within the workspace; a deny pattern also
 * matches the absolute path, so that `*.env` denies everywhere. Only allow patterns are case-sensitive.
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
