import { fold } from '../../../shared/fold.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { mayLieIn, mayMatch, type ShellGlob, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { toToolRules } from '../permissions/evaluate.ts'
import type { Rule } from '../permissions/rule.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { fedByXargs, linesOf } from '../shell/name-streams.ts'
import { baseName } from '../shell/programs/program-name.ts'
import { isOfKind } from '../shell/words/file-globs.ts'
import { keptByPolicy } from './policy.ts'
import { isTooMuch, tooMuch } from './wide-rules.ts'

const maxGlobs = 8

/**
 * SHELL-07: a wildcard stands for every name that it may match. Why one asks that could name what is denied, protected or
 * outside, in any of these directories; what rules allow behind a deny is not looked at. `isLeftToBox`: of files of one kind that
 * are only read, a deny of all names with some text in them (`*secret*`) is left to the box, where the names are known
 * ({@link globsForBox}).
 */
export function globHazards(
  commands: readonly SubCommand[],
  directories: readonly string[],
  facts: GateFacts,
  isLeftToBox: boolean,
): readonly string[] {
  return (['read', 'write'] as const).flatMap((use) => {
    const used = commands.filter(({ changes }) => (changes === true) === (use === 'write'))
    const globs = [...new Set(used.flatMap(({ globs }) => globs ?? []))]
    return globs.length === 0 ? [] : hazardsOfUse(globs, use, directories, facts, isLeftToBox)
  })
}

const showsOnly: ReadonlySet<string> = new Set(
  (
    'cat tac head tail nl wc ls stat du grep egrep fgrep rg fd find diff cmp comm sort uniq cut tr fold rev paste column jq od hexdump ' +
    'strings file md5sum sha1sum sha256sum sha512sum echo printf pwd cd true false test [ [[ sed awk gawk mawk'
  ).split(' '),
)

/**
 * Whether no command makes, changes or renames a file, so that the box, which looks before the first of them runs, sees the
 * names that a wildcard will stand for.
 */
export function keepNames(commands: readonly SubCommand[]): boolean {
  return commands.every(({ words, changes, standing }) => {
    if (changes === true) return false
    const isListing = words[0] === 'git' && linesOf(words) !== 'stream'
    const isKnown = isListing || showsOnly.has(baseName(words[0] ?? ''))
    return (isKnown && isReader(words)) || isFedReader(words) || standing === 'wrapped'
  })
}

/** What runs in it is one of the few programs that `xargs` may give names to. */
function isFedReader(words: readonly string[]): boolean {
  return fedByXargs(words) !== undefined
}

/** SHELL-07: the wildcards of files of one kind that are only read, absolute; the box runs no command where one names what is denied. */
export function globsForBox(
  commands: readonly SubCommand[],
  directories: readonly string[],
  { workspace }: Pick<GateFacts, 'workspace'>,
): readonly string[] {
  const globs = commands.flatMap(({ globs: own = [], changes }) => (changes === true ? [] : own))
  return globs
    .filter(isOfKind)
    .flatMap((text) =>
      directories.map((directory) => toPathForms(text, workspace, directory).absolute),
    )
}

function hazardsOfUse(
  globs: readonly string[],
  use: 'read' | 'write',
  directories: readonly string[],
  facts: GateFacts,
  isLeftToBox: boolean,
): readonly string[] {
  if (globs.length > maxGlobs) return ['it names files by too many patterns']
  const denying = denyingRules(facts, use)
  if (denying === undefined) return ['it names files by patterns, and the policy forbids by texts']
  const length = globs.join('').length + globs.length * facts.workspace.length
  if (isTooMuch(length * directories.length, denying)) return [tooMuch]
  const denyingHere = (text: string): readonly Rule[] =>
    isLeftToBox && use === 'read' && isOfKind(text)
      ? denying.filter((rule) => !isOpen(rule))
      : denying
  return globs.flatMap((text) =>
    directories
      .map((directory) => toPathForms(text, facts.workspace, directory))
      .flatMap((forms) => globHazard(text, forms, denyingHere(text), facts) ?? []),
  )
}

function globHazard(
  text: string,
  forms: PathForms,
  denying: readonly Rule[],
  facts: GateFacts,
): string | undefined {
  if (!forms.inWorkspace) return `it names ${text}, outside the workspace`
  const words = forms.folded.map(toShellGlob)
  const isKept = denying.some(
    (rule) =>
      mayMatch(rule, words) ||
      (rule.name !== undefined && forms.foldedSegments.includes(rule.name)),
  )
  if (isKept) return `${text} may stand for what rules keep from being read or written`
  return mayBeProtected(toShellGlob(fold(forms.absolute)), facts)
    ? `${text} may stand for what belongs to the product itself`
    : undefined
}

/**
 * Every deny for paths; undefined where the policy forbids by the text of a command, which no pattern tells. What is changed and
 * not shown keeps its name, so that of `read` those count that name a place; and of all files of a kind, as of a folder, it
 * does not matter what else stands in their names.
 */
function denyingRules(facts: GateFacts, use: 'read' | 'write'): readonly Rule[] | undefined {
  const byPolicy = keptByPolicy('bash', facts)
  if (byPolicy === undefined) return undefined
  const rules = ['read', 'write'].flatMap((tool) => {
    const { agent, operator, file } = toToolRules(facts, tool)
    const isPassed = (rule: Rule): boolean =>
      use === 'write' && !rule.pattern.includes('/') && (tool === 'read' || isOpen(rule))
    return [...agent, ...operator, ...file].filter((rule) => !isPassed(rule))
  })
  return [...new Set([...rules.filter(({ action }) => action === 'deny'), ...byPolicy])]
}

/** Whether a rule is about names that hold a text, whatever stands around it. */
function isOpen({ pattern }: Rule): boolean {
  return !pattern.includes('/') && /^\*.+\*$/s.test(pattern)
}

/** The own workspace is free in a protected directory around it. */
function mayBeProtected(
  glob: ShellGlob,
  { protectedPaths, workspace }: Pick<GateFacts, 'protectedPaths' | 'workspace'>,
): boolean {
  const own = fold(workspace)
  return protectedPaths
    .map(fold)
    .filter((path) => path === own || !isWithin(own, path))
    .some((path) => mayLieIn(path, glob))
}
