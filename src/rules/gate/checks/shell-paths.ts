import type { Effect } from '../../../domain/effect.ts'
import { isExecutableConfig } from '../../../shared/executable-config.ts'
import {
  isWithin,
  isWorkspace,
  type PathForms,
  toPathForms,
} from '../../../shared/paths/path-forms.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import { outsideEffect } from '../effects.ts'
import type { GateFacts } from '../gate-facts.ts'
import { mayMatch, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { matchesUse } from '../paths/matches-use.ts'
import { evaluate, mayDenyPath, narrowToPath, toToolRules } from '../permissions/evaluate.ts'
import type { ToolRules } from '../permissions/evaluation.ts'
import type { Rule } from '../permissions/rule.ts'
import type { Positioned, Redirection, ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { isMove } from '../shell/cd-target.ts'
import {
  directoriesOf,
  isUntold,
  maxDirectories,
  namedParts,
  namedPathsOf,
  possibleDirectories,
} from '../shell/named-paths.ts'
import { checkFetchedTrees } from './fetched-trees.ts'
import type { Finding } from './finding.ts'
import { checkOrderWords, instructionFinding, mayHoldInstructions } from './orders.ts'
import { toFinding } from './permissions.ts'
import { createProtectionFinder, protectedFinding } from './protected-paths.ts'
import { findGlobs, type GlobFindings } from './shell-globs.ts'
import { type BoxListings, boxListings } from './shell-listings.ts'
import { mayBeDenied, staysPlain } from './untold-places.ts'

/** Limit of possible path words times possible directories; more are refused. */
const maxPaths = 6_000

/** Findings about the files that a command names. */
export interface ShellPathFindings {
  readonly redirections: readonly Finding[]
  readonly words: readonly Finding[]
}

/** Items that may run in the same directories. */
interface Group<T> {
  readonly directories: readonly string[]
  /** Whether each `cd` was followed in order; false: all possible directories are combined. */
  readonly isFollowed: boolean
  readonly items: readonly T[]
}

/** SHELL-06 and SHELL-07: checks redirections and words, each in the directories that preceding `cd` commands may lead to. */
export function checkShellPaths(analysis: ShellAnalysis, facts: GateFacts): ShellPathFindings {
  const all = possibleDirectories(analysis.commands, facts.workspace)
  const redirections = groups(analysis.redirections, all, facts)
  const known = knownOf(analysis)
  const paths = (namedParts(known).size + analysis.redirections.length) * all.length
  if (paths > maxPaths) {
    return { redirections: [], words: [notice('deny', 'the command names too many paths')] }
  }
  const globs = groups(known, all, facts).map(({ items, directories }) =>
    findGlobs(items, directories, facts),
  )
  const commands = groups(known.map(withoutSubstitutions), all, facts)
  const isLost = [...redirections, ...commands].some(
    ({ directories }) => directories.length >= maxDirectories,
  )
  const lost = isLost ? [notice('ask', 'it changes the directory too often')] : []
  return {
    redirections: redirections.flatMap((group) => checkRedirections(group, all, facts)),
    words: [
      ...commands.flatMap((group) => checkGroup(group, facts)),
      ...checkGlobs(analysis, globs, facts),
      ...checkFetchedTrees(analysis, facts),
      ...lost,
    ],
  }
}

function checkGlobs(
  analysis: ShellAnalysis,
  found: readonly GlobFindings[],
  facts: GateFacts,
): readonly Finding[] {
  const left = boxListings(
    analysis,
    found.flatMap(({ globs }) => globs),
    facts,
  )
  const hazards = [...found.flatMap(({ hazards }) => hazards), ...left.hazards]
  return [...new Set(hazards)].map((hazard) => notice('ask', hazard))
}

function knownOf({ commands }: ShellAnalysis): readonly SubCommand[] {
  return commands
    .filter(({ standing, overlaps }) => standing !== 'perhaps' && overlaps !== true)
    .map((command) =>
      // If it is unknown which word is the program, each word may be a path.
      command.overlaps === undefined ? command : { ...command, words: ['', ...command.words] },
    )
}

/** The commands of substitutions are checked by themselves. */
function withoutSubstitutions(command: SubCommand): SubCommand {
  const { words, globs = [], objects = [] } = command
  if (![...globs, ...objects].some((word) => word.startsWith('$('))) return command
  return { ...command, words: words.map((word) => word.replace(/^\$\(.*\)/s, '$()')) }
}

/** SHELL-04, SHELL-07: the listings that the box checks before the command runs. */
export function leftToBox(analysis: ShellAnalysis, facts: GateFacts): BoxListings['listings'] {
  const all = possibleDirectories(analysis.commands, facts.workspace)
  const globs = groups(knownOf(analysis), all, facts).flatMap(
    ({ items, directories }) => findGlobs(items, directories, facts).globs,
  )
  return boxListings(analysis, globs, facts).listings
}

function groups<T extends Positioned>(
  items: readonly T[],
  all: readonly string[],
  facts: GateFacts,
): readonly Group<T>[] {
  const found = new Map<
    string,
    { directories: readonly string[]; isFollowed: boolean; items: T[] }
  >()
  for (const item of items) {
    const isFollowed = item.trails !== undefined
    const directories = directoriesOf(item, facts.workspace, all)
    const key = JSON.stringify([isFollowed, directories])
    const group = found.get(key)
    if (group === undefined) found.set(key, { directories, isFollowed, items: [item] })
    else group.items.push(item)
  }
  return [...found.values()]
}

/** The target of `cd` matters for what runs there; the `cd` itself only has to stay inside on at least one possible way. */
function checkGroup(group: Group<SubCommand>, facts: GateFacts): readonly Finding[] {
  const { items, isFollowed } = group
  const moves = isFollowed ? items.filter(({ words }) => isMove(words)) : []
  const others = items.filter((command) => !moves.includes(command))
  return [
    ...checkWords({ ...group, items: moves }, facts, true),
    ...checkWords({ ...group, items: others }, facts, false),
    ...checkOrderWords(others, group.directories, facts),
    ...(others.some(({ words }) => !isMove(words)) ? checkPlaces(others, group, facts) : []),
  ]
}

/** Commands that run outside the workspace, or among hooks and settings, where their words mean something else. */
function checkPlaces(
  commands: readonly SubCommand[],
  { directories }: Group<SubCommand>,
  facts: GateFacts,
): readonly Finding[] {
  const onlyReads = commands.every(
    ({ words, globs = [] }) => isReader(words) && words[0] !== 'git' && globs.length === 0,
  )
  return directories.flatMap((directory) => {
    if (isWorkspace(directory, facts.workspace)) return []
    if (isUntold(directory, facts.workspace) && !commands.every(staysPlain))
      return [notice('ask', 'it may write in directories that its text does not name')]
    const { inWorkspace, relative } = toPathForms(directory, facts.workspace)
    if (!inWorkspace)
      return [
        notice('ask', `it may run in ${directory}, outside the workspace`, {
          kind: 'runs_outside',
          of: directory,
        }),
      ]
    const why = `it may run in ${relative}, from which programs may take what they run`
    return isExecutableConfig(relative) && !onlyReads
      ? [notice('ask', why, { kind: 'writes_instructions', of: relative })]
      : []
  })
}

/**
 * SHELL-06: output files are checked as `write`, input files as `read`. Rules must agree for every directory that any `cd` names;
 * outside paths count only for directories where the shell may be.
 */
function checkRedirections(
  { directories, items }: Group<Redirection>,
  all: readonly string[],
  facts: GateFacts,
): readonly Finding[] {
  const isThere = (at: string): boolean => directories.includes(at)
  return (['read', 'write'] as const).flatMap((use) => {
    const targets = new Set(items.flatMap((to) => (to.use === use ? (to.path ?? []) : [])))
    if (targets.size === 0) return []
    const rules = toToolRules(facts, use)
    return [...targets].flatMap((path) =>
      all.flatMap((at) =>
        isThere(at) || toPathForms(path, facts.workspace, at).inWorkspace
          ? checkTarget(use, path, at, rules, facts)
          : [],
      ),
    )
  })
}

function checkTarget(
  use: 'read' | 'write',
  path: string,
  directory: string,
  rules: ToolRules,
  facts: GateFacts,
): readonly Finding[] {
  const forms = toPathForms(path, facts.workspace, directory)
  if (createProtectionFinder(facts)(forms)) return [protectedFinding(path)]
  const own = narrowToPath(rules, forms.names)
  const decision = evaluate(own, (rule) => matchesUse(rule, forms, use), { about: path })
  const finding = toFinding(use, path, decision)
  if (decision.action === 'deny') return [{ ...finding, isHazard: true }]
  if (mayBeDenied(forms, [rules], false) || (use === 'read' && mayAsk(forms, rules)))
    return [notice('ask', `${path} may stand for what a rule asks about`)]
  const { allowedPaths } = facts
  const isWithinReach =
    allowedPaths.length === 0 || allowedPaths.some((at) => isWithin(forms.absolute, at))
  if (isUntold(directory, facts.workspace))
    return [
      notice('ask', `it redirects to or from ${path} in directories that its text does not name`),
    ]
  if (!forms.inWorkspace || !isWithinReach)
    return [
      notice('ask', `it redirects to or from ${path}, outside`, {
        kind: use === 'write' ? 'writes_outside' : 'reads_outside',
        of: path,
      }),
    ]
  if (use === 'write' && mayHoldInstructions(forms, facts)) return [instructionFinding(path)]
  return [{ ...finding, effect: { kind: use === 'write' ? 'writes' : 'reads', of: path } }]
}

/** Whether a wildcard may stand for a file about which a rule for this use asks. */
function mayAsk(forms: PathForms, { agent, operator, file }: ToolRules): boolean {
  if (!/[*?[]/.test(forms.given)) return false
  const words = forms.folded.map(toShellGlob)
  return [...agent, ...operator, ...file].some(
    (rule) => rule.action === 'ask' && !rule.matchesAll && mayMatch(rule, words),
  )
}

/** `..` after a named directory: if that is a link, the kernel resolves `..` from the link's target. */
const climbs = /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:\.?\/)*\.\.(?:\/|$)/

/** SHELL-07: words that name a protected, denied or outside path. */
function checkWords(
  { directories, items }: Group<SubCommand>,
  facts: GateFacts,
  isMoving: boolean,
): readonly Finding[] {
  if (items.length === 0) return []
  const layers = ['read', 'write'].map((tool) => toToolRules(facts, tool))
  const areUntold = directories.map((directory) => isUntold(directory, facts.workspace))
  const isProtected = createProtectionFinder(facts)
  return namedPathsOf(items, facts.workspace, directories).flatMap(({ text, forms, isPath }) => {
    const ask = (reason: string, kind: 'touches_kept' | 'leaves_by_link'): readonly Finding[] => [
      notice('ask', reason, { kind, of: text }),
    ]
    if (forms.some(isProtected)) return [protectedFinding(text)]
    if (
      forms.some(
        (form, at) => isDenied(form, layers) || mayBeDenied(form, layers, areUntold[at] === true),
      )
    )
      return ask(`it names ${text}, which rules keep from being read or written`, 'touches_kept')
    // The shell's own `cd` resolves `..` by the words.
    if (!isMoving && climbs.test(text))
      return ask(
        `${text} goes up from a folder that may be a link to another place`,
        'leaves_by_link',
      )
    const isInside = isMoving
      ? forms.some((form) => form.inWorkspace)
      : forms.every((form) => form.inWorkspace)
    return !isPath || isInside
      ? []
      : [notice('ask', `it names ${text}, outside the workspace`, outsideEffect(items, text))]
  })
}

function isDenied(path: PathForms, layers: readonly ToolRules[]): boolean {
  const matches = (rule: Rule): boolean => matchesPath(rule, path)
  return layers.some(
    (layer) =>
      mayDenyPath(layer, path.names, matches) &&
      evaluate(layer, matches, { about: path.given }).action === 'deny',
  )
}

/** A finding of the shell check itself, which no rule overrides. */
export function notice(action: 'ask' | 'deny', reason: string, effect?: Effect): Finding {
  return { check: 'shell', action, reason, isHazard: true, ...(effect !== undefined && { effect }) }
}
