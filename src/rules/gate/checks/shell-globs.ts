import { fold } from '../../../shared/fold.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { mayLieIn, mayMatch, type ShellGlob, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { toToolRules } from '../permissions/evaluate.ts'
import type { Rule } from '../permissions/rule.ts'
import type { Placed, SubCommand } from '../shell/analysis.ts'
import { fedByXargs, linesOf } from '../shell/name-streams.ts'
import { baseName } from '../shell/programs/program-name.ts'
import { keptByPolicy } from './policy.ts'
import { isTooMuch, tooMuch } from './wide-rules.ts'

const maxGlobs = 8

/** A wildcard of one command, from one directory. */
export interface PlacedGlob {
  readonly command: SubCommand
  readonly text: string
  readonly directory: string
  /** Why it asks unless the box looks at its names; undefined: they need no look, and get one where that is possible. */
  readonly doubt: string | undefined
}

/** What is found about wildcards: reasons to ask that stay, and those that the box can look at. */
export interface GlobFindings {
  readonly hazards: readonly string[]
  readonly globs: readonly PlacedGlob[]
}

const nothing: GlobFindings = { hazards: [], globs: [] }

/**
 * SHELL-07: a wildcard stands for every name that it may match. One asks that could name what is protected or outside, or that
 * spells the end of what rules deny. One that could name what is denied is left to the box, where the names are known.
 */
export function findGlobs(
  commands: readonly SubCommand[],
  directories: readonly string[],
  facts: GateFacts,
): GlobFindings {
  const found = commands
    .filter(({ globs = [] }) => globs.length > 0)
    .map((command) => findIn(command, directories, facts))
  return {
    hazards: found.flatMap(({ hazards }) => hazards),
    globs: found.flatMap(({ globs }) => globs),
  }
}

const showsOnly: ReadonlySet<string> = new Set(
  (
    'cat tac head tail nl wc ls stat du grep egrep fgrep rg fd find diff cmp comm sort uniq cut tr fold rev paste column jq od hexdump xxd ' +
    'strings file md5sum sha1sum sha256sum sha512sum echo printf pwd cd true false test [ [[ sed awk gawk mawk basename dirname zcat zgrep'
  ).split(' '),
)
/** Programs that touch no file of the workspace. */
const apart = /^(?:date|sleep|nproc|uname|whoami|id|hostname|df|free|uptime|ps|seq|exit|expr|:)$/
/** Words by which `mkdir` and `touch` make nothing but new names that mean nothing to programs. */
const harmlessName = /^(?:-[pm]|(?:\.\/)?(?:\w[\w.+,-]*\/?)+)$/
const makesNames: ReadonlySet<string> = new Set(['mkdir', 'touch'])

/** Whether a command makes, changes or renames no file, so that the box sees the names that a wildcard will stand for. */
export function keepsNames({ words, changes, standing, source }: SubCommand): boolean {
  if (standing === 'wrapped') return true
  const [program = '', ...rest] = words
  if (changes === true) return false
  const isListing = program === 'git' && linesOf(words) !== 'stream'
  const isStaging = program === 'git' && /^(?:add|status|diff|log|show)$/.test(rest[0] ?? '')
  if (apart.test(program)) return true
  if (makesNames.has(program))
    return rest.every((word) => harmlessName.test(word)) && !/\$/.test(source)
  const isKnown = isListing || isStaging || showsOnly.has(baseName(program))
  return (isKnown && isReader(words)) || fedByXargs(words) !== undefined
}

/** What may have run by the time that something else begins, by where both stand. */
export function runsBefore(other: Placed, own: Placed): boolean {
  if (other.part === undefined || own.part === undefined) return true
  if (other === own) return own.part.isLooped
  return other.part.index <= own.part.index
}

function findIn(
  command: SubCommand,
  directories: readonly string[],
  facts: GateFacts,
): GlobFindings {
  const { globs = [], boxed = [] } = command
  const use = command.changes === true ? 'write' : 'read'
  if (globs.length > maxGlobs)
    return { ...nothing, hazards: ['it names files by too many patterns'] }
  const denying = denyingRules(facts, use)
  if (denying === undefined)
    return { ...nothing, hazards: ['it names files by patterns, and the policy forbids by texts'] }
  const length = globs.join('').length + globs.length * facts.workspace.length
  if (isTooMuch(length * directories.length, denying)) return { ...nothing, hazards: [tooMuch] }
  const placed = globs.flatMap((text) => directories.map((directory) => ({ text, directory })))
  const hazards: string[] = []
  const found: PlacedGlob[] = []
  for (const { text, directory } of placed) {
    const forms = toPathForms(text, facts.workspace, directory)
    const { firm, doubt } = doubtsOf(text, forms, denying, facts)
    const unread = boxed.includes(text) ? notLiteral : undefined
    if (firm !== undefined) hazards.push(firm)
    else if (use === 'write' && unread === undefined) hazards.push(...(doubt ?? []))
    else found.push({ command, text, directory, doubt: doubt?.[0] ?? unread })
  }
  return { hazards, globs: found }
}

const notLiteral = 'it is not made of literal words (glob)'

function doubtsOf(text: string, forms: PathForms, denying: readonly Rule[], facts: GateFacts) {
  if (!forms.inWorkspace) return { firm: `it names ${text}, outside the workspace` }
  const words = forms.folded.map(toShellGlob)
  if (mayBeProtected(toShellGlob(fold(forms.absolute)), facts))
    return { firm: `${text} may stand for what belongs to the product itself` }
  const kept = denying.filter(
    (rule) =>
      mayMatch(rule, words) ||
      (rule.name !== undefined && forms.foldedSegments.includes(rule.name)),
  )
  if (kept.length === 0) return {}
  const why = `${text} may stand for what rules keep from being read or written`
  return kept.some((rule) => spells(text, rule)) ? { firm: why } : { doubt: [why] }
}

/**
 * Whether a wildcard spells a part of what a rule denies, so that it is likely to be meant: `data/*.env` and `p*env` by `*.env`,
 * `secre*` by `*secret*`, and whatever leaves single characters open.
 */
function spells(text: string, rule: Rule): boolean {
  if (/\?|\[(?!\d-\d\])/.test(text)) return true
  const end = fold(/[^/*\]]*$/.exec(text)?.[0] ?? '')
  const other = fold(/[^/*?\]}]*$/.exec(rule.pattern)?.[0] ?? '')
  if (end !== '' && other !== '' && (end.endsWith(other) || other.endsWith(end))) return true
  const core = fold(rule.pattern).replace(/^[*/]+|[*/]+$/g, '')
  return fold(text)
    .split(/[*/]|\[\d-\d\]/)
    .some(
      (piece) =>
        (/^\../.test(piece) && core.startsWith(piece)) ||
        (piece.length >= leastSpelled && (core.includes(piece) || ends(piece, core))),
    )
}

const leastSpelled = 4

/** Whether a text ends with the beginning of another, so far that it is no chance. */
function ends(text: string, other: string): boolean {
  const at = text.indexOf(other.slice(0, leastSpelled))
  return other.length >= leastSpelled && at !== -1 && other.startsWith(text.slice(at))
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
