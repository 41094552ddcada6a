import { fold } from '../../../shared/fold.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { mayLieIn, mayMatch, type ShellGlob, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import { toToolRules } from '../permissions/evaluate.ts'
import type { Rule } from '../permissions/rule.ts'
import type { Positioned, SubCommand } from '../shell/analysis.ts'
import { lineTrustOf } from '../shell/name-streams.ts'
import { baseName } from '../shell/programs/program-name.ts'
import { parseXargs } from '../shell/xargs.ts'
import { deniedByPolicy } from './policy.ts'
import { exceedsWorkLimit, tooManyRules } from './wide-rules.ts'

const maxGlobs = 8

/** A wildcard of a command, with one possible working directory. */
export interface PlacedGlob {
  readonly command: SubCommand
  readonly text: string
  readonly directory: string
  /** The reason to ask unless the box checks its names; undefined: no check is required, but it is made if possible. */
  readonly doubt: string | undefined
}

/** Findings about wildcards: final reasons to ask, and wildcards that the box can check. */
export interface GlobFindings {
  readonly hazards: readonly string[]
  readonly globs: readonly PlacedGlob[]
}

const nothing: GlobFindings = { hazards: [], globs: [] }

/**
 * SHELL-07: a wildcard stands for all names it may match. Asks for one that may match a protected or outside path, or that spells
 * out a part of a deny rule. One that may match a denied name is left to the box, which knows the actual names.
 */
export function findGlobs(
  commands: readonly SubCommand[],
  directories: readonly string[],
  facts: GateFacts,
): GlobFindings {
  const named = commands.filter(({ globs = [] }) => globs.length > 0)
  if (named.length === 0) return nothing
  const uses = { read: useOf(facts, 'read'), write: useOf(facts, 'write') }
  const found = named.map((command) =>
    findIn(command, uses[command.changes === true ? 'write' : 'read'], directories, facts),
  )
  return {
    hazards: found.flatMap(({ hazards }) => hazards),
    globs: found.flatMap(({ globs }) => globs),
  }
}

const showsOnly: ReadonlySet<string> = new Set(
  (
    'cat tac head tail nl wc ls stat du grep egrep fgrep rg fd find diff cmp comm sort uniq cut tr fold rev paste column jq od hexdump xxd ' +
    'strings file less more bat batcat comm expand unexpand base64 fmt numfmt tree realpath readlink type which yq md5sum sha1sum sha256sum sha512sum echo printf pwd cd true false test [ [[ sed awk gawk mawk basename dirname zcat zgrep'
  ).split(' '),
)
/** Programs that access no file of the workspace. */
const apart =
  /^(?:date|sleep|nproc|uname|whoami|id|hostname|df|free|uptime|ps|seq|exit|expr|read|dig|host|nslookup|:)$/
/** Words with which `mkdir` and `touch` only create new names without a meaning to programs. */
const harmlessName = /^(?:-[pm]|(?:\.\/)?(?:\w[\w.+,-]*\/?)+)$/
const makesNames: ReadonlySet<string> = new Set(['mkdir', 'touch'])

/** Whether a command creates, changes or renames no file, so that the box sees the names that a wildcard will expand to. */
export function keepsNames({ words, changes, standing, source }: SubCommand): boolean {
  if (standing === 'wrapped') return true
  const [program = '', ...rest] = words
  if (changes === true) return false
  const isListing = program === 'git' && lineTrustOf(words) !== 'stream'
  const isStaging = program === 'git' && /^(?:add|status|diff|log|show)$/.test(rest[0] ?? '')
  if (apart.test(program)) return true
  if (makesNames.has(program))
    return rest.every((word) => harmlessName.test(word)) && !/\$/.test(source)
  const isKnown = isListing || isStaging || showsOnly.has(baseName(program))
  return (isKnown && isReader(words)) || parseXargs(words) !== undefined
}

/** Whether one command or redirection may have run before another starts, by their positions. */
export function runsBefore(other: Positioned, own: Positioned): boolean {
  if (other.part === undefined || own.part === undefined) return true
  if (other === own) return own.part.isLooped
  return other.part.index <= own.part.index
}

/** What holds for all wildcards of one use, found once. */
interface Use {
  readonly use: 'read' | 'write'
  readonly denying: readonly Rule[] | undefined
  /** By directory and text, as a long command often repeats a wildcard. */
  readonly doubts: Map<string, ReturnType<typeof doubtsOf>>
}

function useOf(facts: GateFacts, use: Use['use']): Use {
  return { use, denying: denyingRules(facts, use), doubts: new Map() }
}

function findIn(
  command: SubCommand,
  { use, denying, doubts }: Use,
  directories: readonly string[],
  facts: GateFacts,
): GlobFindings {
  const { globs = [], boxed = [] } = command
  if (globs.length > maxGlobs)
    return { ...nothing, hazards: ['it names files by too many patterns'] }
  if (denying === undefined)
    return { ...nothing, hazards: ['it names files by patterns, and the policy forbids by texts'] }
  const length = globs.join('').length + globs.length * facts.workspace.length
  if (exceedsWorkLimit(length * directories.length, denying))
    return { ...nothing, hazards: [tooManyRules] }
  const placed = globs.flatMap((text) => directories.map((directory) => ({ text, directory })))
  const hazards: string[] = []
  const found: PlacedGlob[] = []
  for (const { text, directory } of placed) {
    if (text.startsWith('$(')) {
      found.push({ command, text, directory, doubt: notLiteral })
      continue
    }
    const key = `${directory}\n${text}`
    const known =
      doubts.get(key) ??
      doubtsOf(text, toPathForms(text, facts.workspace, directory), denying, facts)
    doubts.set(key, known)
    const { firm, doubt } = known
    const unread = boxed.includes(text) ? notLiteral : undefined
    if (firm !== undefined) hazards.push(firm)
    else if (use === 'write' && unread === undefined && doubt !== undefined) hazards.push(...doubt)
    else if (use === 'read' || unread !== undefined || command.into !== undefined)
      found.push({ command, text, directory, doubt: doubt?.[0] ?? unread })
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
 * Whether a wildcard spells out part of a deny rule, which suggests intent: `data/*.env` and `p*env` for `*.env`, `secre*` for
 * `*secret*`, and all with single-character wildcards.
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

/** Whether a text ends with the start of another, long enough not to be a coincidence. */
function ends(text: string, other: string): boolean {
  const at = text.indexOf(other.slice(0, leastSpelled))
  return other.length >= leastSpelled && at !== -1 && other.startsWith(text.slice(at))
}

/**
 * All deny rules for paths; undefined if the policy denies by the text of a command, which patterns cannot express. A file that
 * is changed without being shown keeps its name, so of the `read` rules only those with a location count; and when all files of a
 * kind are used, as with a directory, the rest of their names does not matter.
 */
function denyingRules(facts: GateFacts, use: 'read' | 'write'): readonly Rule[] | undefined {
  const byPolicy = deniedByPolicy('bash', facts)
  if (byPolicy === undefined) return undefined
  const rules = ['read', 'write'].flatMap((tool) => {
    const { agent, operator, file } = toToolRules(facts, tool)
    const isPassed = (rule: Rule): boolean =>
      use === 'write' && !rule.pattern.includes('/') && (tool === 'read' || isOpen(rule))
    return [...agent, ...operator, ...file].filter((rule) => !isPassed(rule))
  })
  return [...new Set([...rules.filter(({ action }) => action === 'deny'), ...byPolicy])]
}

/** Whether a rule matches any name that contains some text. */
function isOpen({ pattern }: Rule): boolean {
  return !pattern.includes('/') && /^\*.+\*$/s.test(pattern)
}

/** The call's workspace is accessible inside a protected directory around it. */
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
