import { fold } from '../../../shared/fold.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import { escapeWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import { wildcardsOverlap } from '../../../util/text/wildcards-overlap.ts'
import type { GateFacts } from '../gate-facts.ts'
import { mayLieIn, mayMatch, type ShellGlob, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { evaluate, toToolRules } from '../permissions/evaluate.ts'
import type { Decision, ToolRules } from '../permissions/evaluation.ts'
import { matchesText, type Rule } from '../permissions/rule.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { formsOf } from '../shell/command-forms.ts'
import { fitsGrant } from '../shell/grants/grantable.ts'
import { baseName } from '../shell/programs/program-name.ts'
import { isOfKind } from '../shell/words/file-globs.ts'
import type { Finding } from './finding.ts'
import { keptByPolicy } from './policy.ts'

const maxGlobs = 8
/** Characters of the words times those of the rules: a few milliseconds. */
const maxWork = 1_000_000

const tooMuch = 'there are more rules than its patterns can be tried on'

function isTooMuch(length: number, rules: readonly Rule[]): boolean {
  return rules.reduce((sum, { pattern }) => sum + pattern.length, 0) * length > maxWork
}

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
    'cat tac head tail nl wc ls stat du grep egrep fgrep rg diff cmp comm sort uniq cut tr fold rev paste column jq od hexdump strings ' +
    'md5sum sha1sum sha256sum sha512sum echo printf pwd cd true false test [ sed awk gawk mawk'
  ).split(' '),
)

/**
 * Whether no command makes, changes or renames a file, so that the box, which looks before the first of them runs, sees the
 * names that a wildcard will stand for.
 */
export function keepNames(commands: readonly SubCommand[]): boolean {
  return commands.every(
    ({ words, changes }) =>
      changes !== true && showsOnly.has(baseName(words[0] ?? '')) && isReader(words),
  )
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

/** Rules with more blanks than this are tried as if a wildcard's names could hold blanks. */
const maxBlanks = 3

/**
 * What rules for bash say of a command, whatever its wildcards stand for: one that asks or denies counts where it could speak
 * of it, one that allows where it speaks of all of it.
 */
function evaluateWidely(command: SubCommand, rules: ToolRules): Decision {
  const forms = formsOf(command)
  const texts = [...new Set([forms.full, forms.base, forms.plain])]
  const shapes = shapesOf(texts, command)
  const samples = ['q', 'qq q/qqq'].map((name) => sample(command, name))
  const matches = (rule: Rule): boolean => {
    if (rule.grant && !fitsGrant(rule, command)) return false
    if (rule.matchesAll) return true
    if (rule.action !== 'allow') return mayBeAbout(rule, shapes)
    if (rule.literal === command.source || rule.literal === forms.full) return true
    return samples.every((text) => matchesText(rule, text))
  }
  return evaluate({ ...rules, witness: undefined }, matches, { about: forms.full })
}

/** A command as a pattern for what it may become, and which characters its wildcards stand for. */
interface Shape {
  readonly exact: Wildcard
  readonly folded: Wildcard
  readonly stands: (unit: number, next: number | undefined) => boolean
}

interface Shapes {
  /** Its wildcards stand for names with blanks too. */
  readonly wide: readonly Shape[]
  /** For rules of at most `maxBlanks` blanks. */
  readonly narrow: readonly Shape[]
}

function mayBeAbout(rule: Rule, { wide, narrow }: Shapes): boolean {
  const blanks = rule.text.tokens.filter((token) => token === blank).length
  return (blanks > maxBlanks ? wide : narrow).some(({ exact, folded, stands }) =>
    wildcardsOverlap(rule.text, rule.foldsCase ? folded : exact, stands),
  )
}

const blank = 32

/**
 * Of files of one kind each name ends as the wildcard does, so that blanks stand between names alone: a rule meets as many
 * names next to each other as it has blanks, and one more. Any other wildcard may stand for names with blanks.
 */
function shapesOf(texts: readonly string[], command: SubCommand): Shapes {
  const shape = (copies: number, stands: Shape['stands']): readonly Shape[] =>
    texts.map((text) => {
      const wide = widened(text, command, copies)
      return { exact: toWildcard(wide), folded: toWildcard(fold(wide)), stands }
    })
  const wide = shape(1, standsInNames)
  if (command.globs?.every(isOfKind) !== true) return { wide, narrow: wide }
  const copies = Array.from({ length: maxBlanks + 1 }, (_, at) => at + 1)
  return { wide, narrow: copies.flatMap((count) => shape(count, standsInOneName)) }
}

function standsInOneName(unit: number, next: number | undefined): boolean {
  return unit !== blank && standsInNames(unit, next)
}

/** Rules about redirections, substitutions, lists of commands and long options are not about names of files. */
function standsInNames(unit: number, next: number | undefined): boolean {
  const character = String.fromCharCode(unit)
  if (character === '-') return next !== unit
  return !'<>|&;$`()\'"\\\n'.includes(character)
}

function widened(text: string, { globs = [] }: SubCommand, copies: number): string {
  const wide = (word: string): string => parts(word).map(escapeWildcard).join('*')
  return text
    .split(' ')
    .flatMap((word) =>
      globs.includes(word)
        ? Array.from({ length: copies }, () => wide(word))
        : escapeWildcard(word),
    )
    .join(' ')
}

function sample({ words, globs = [] }: SubCommand, name: string): string {
  return words.map((word) => (globs.includes(word) ? parts(word).join(name) : word)).join(' ')
}

/** What stands around the wildcards of a word. */
function parts(word: string): readonly string[] {
  return word.split(/[*?]+|\[[\w-]+\]/)
}

/** Of a command that asks: its patterns may stand for what other rules ask about, over which no grant of it would win. */
export function firmFinding(
  command: SubCommand,
  rules: ToolRules,
  met: readonly string[],
): readonly Finding[] {
  if (command.globs === undefined) return []
  const [found] = widerFinding(command, { ...rules, grants: [] })
  const wide = found === undefined ? [] : evaluateWidely(command, rules).met
  const isMet = wide?.every((name) => met.includes(name)) === true
  return found === undefined || isMet ? [] : [found]
}

/** What such a command is told of by rules that let its text run. */
export function widerFinding(command: SubCommand, rules: ToolRules): readonly Finding[] {
  if (command.globs === undefined) return []
  const { agent, operator, file } = rules
  const length = command.words.join(' ').length
  if (isTooMuch(length, [...agent, ...operator, ...file]))
    return [{ check: 'shell', action: 'ask', reason: tooMuch, isHazard: true }]
  const { action, rule } = evaluateWidely(command, rules)
  if (action === 'allow') return []
  const by = rule === undefined ? 'a rule' : `a rule of the ${rule.layer}`
  const what = action === 'deny' ? 'denies' : 'asks about'
  const reason = `its patterns may stand for what ${by} ${what}`
  return [
    {
      check: 'shell',
      action: 'ask',
      reason,
      isHazard: true,
      // No grant of it wins over that rule: none is offered.
      isFirm: true,
      ...(action === 'deny' ? { mayBeDenied: true } : {}),
    },
  ]
}
