import { escapeWildcard } from '../../../util/text/wildcard-match.ts'
import { parseArguments } from '../../tools/parse-arguments.ts'
import type { FindTool } from '../../tools/presumed-tool.ts'
import { findTool } from '../../tools/registry.ts'
import { runsCommands, type ToolSpec } from '../../tools/tool-spec.ts'
import { alwaysForCommand } from '../always.ts'
import { exactArguments } from '../arguments/exact-arguments.ts'
import { explain } from '../explain/explain.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../gate.ts'
import { createRule, describeRule, type Grant, type Rule } from '../permissions/rule.ts'
import { type PastCall, wasRefused } from '../replay/past-call.ts'
import { reevaluate } from '../replay/rejudge.ts'
import type { ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { isNeverSuggested, mayBeWide } from './never-suggested.ts'

const mostCandidates = 20_000
const mostExamples = 3
/** Number of different commands required for a common pattern. */
const several = 3

/** A proposed rule with its evidence. */
export interface Proposal {
  readonly tool: string
  readonly pattern: string
  readonly approvals: number
  /** Number of approvals by person. */
  readonly people: Readonly<Record<string, number>>
  readonly examples: readonly string[]
  /** For a pattern: the exact rules it combines, those that were approved often enough. */
  readonly parts: readonly Proposal[]
}

interface Found {
  readonly candidate: Candidate
  approvals: number
  readonly people: Record<string, number>
}

/** APPR-21: collects approved calls that a rule would have allowed; memory is bounded. */
export class Miner {
  readonly #found = new Map<string, Found>()
  readonly #find: FindTool
  /** Number of different commands or addresses dropped at the limit. */
  left = 0

  constructor(find: FindTool = findTool) {
    this.#find = find
  }

  learn(call: PastCall, facts: GateFacts): void {
    const { decidedBy } = call
    if (call.verdict !== 'ask' || call.answer !== 'approved' || decidedBy === undefined) return
    const spec = this.#find(call.tool)
    if (spec === undefined || reevaluate(call, facts, this.#find).kind === 'uncertain') return
    const parsed = parseArguments(spec, call.arguments ?? '')
    if (parsed.kind === 'error') return
    // A command repeated within a call counts as one approval.
    const candidates = candidatesOf(spec, parsed.args, facts)
    for (const one of new Map(candidates.map((found) => [found.exact, found])).values()) {
      this.#count(one, decidedBy)
    }
  }

  /** Exact rules with at least `min` approvals, and patterns for several similar ones that may be combined. */
  proposals(min: number): readonly Proposal[] {
    const groups = Map.groupBy(this.#found.values(), ({ candidate }) => {
      return JSON.stringify([candidate.tool, candidate.wide ?? `exactly ${candidate.exact}`])
    })
    const proposals = [...groups.values()].flatMap((group) => proposalsOf(group, min))
    return proposals.sort((a, b) => b.approvals - a.approvals)
  }

  #count(candidate: Candidate, person: string): void {
    const key = JSON.stringify([candidate.tool, candidate.exact])
    const found = this.#found.get(key) ?? { candidate, approvals: 0, people: {} }
    if (found.approvals === 0 && this.#found.size >= mostCandidates) {
      this.left += 1
      return
    }
    this.#found.set(key, found)
    found.approvals += 1
    found.people[person] = (found.people[person] ?? 0) + 1
  }
}

function proposalsOf(group: readonly Found[], min: number): readonly Proposal[] {
  const wide = group[0]?.candidate.wide
  const exact = group
    .filter(({ approvals }) => approvals >= min)
    .map((found) => toProposal(found.candidate.exact, [found], []))
  if (wide === undefined || group.length < several) return exact
  const joined = toProposal(wide, group, exact)
  return joined.approvals >= min ? [joined] : []
}

function toProposal(
  pattern: string,
  group: readonly Found[],
  parts: readonly Proposal[],
): Proposal {
  const people: Record<string, number> = {}
  for (const found of group) {
    for (const [person, times] of Object.entries(found.people)) {
      people[person] = (people[person] ?? 0) + times
    }
  }
  const often = group.toSorted((a, b) => b.approvals - a.approvals)
  return {
    tool: group[0]?.candidate.tool ?? '',
    pattern,
    approvals: group.reduce((sum, { approvals }) => sum + approvals, 0),
    people,
    examples: often.slice(0, mostExamples).map(({ candidate }) => candidate.text),
    parts,
  }
}

/** Tests proposals as if they were in the worker's file; they turn ask into allow, never deny. */
export class Trial {
  #proposals: readonly Proposal[]
  #rules: readonly Rule[]
  #made = new WeakMap<GateFacts, GateFacts>()
  readonly #find: FindTool
  /** Number of withdrawn proposals. */
  contradicted = 0

  constructor(proposals: readonly Proposal[], find: FindTool = findTool) {
    this.#find = find
    this.#proposals = proposals
    this.#rules = proposals.map(toRule)
  }

  get proposals(): readonly Proposal[] {
    return this.#proposals
  }

  /** The proposals that make a call run that does not run without them. */
  sparing(call: PastCall, facts: GateFacts): readonly Proposal[] {
    if (this.#proposals.length === 0) return []
    const judged = reevaluate(call, this.#with(facts), this.#find)
    if (judged.kind === 'uncertain' || judged.after !== 'allow') return []
    const before = reevaluate(call, facts, this.#find)
    if (before.kind === 'judged' && before.after === 'allow') return []
    const named = new Set(judged.verdict?.trace.flatMap(({ rule }) => rule ?? []))
    const sparing = this.#proposals.filter((proposal) => named.has(describeRule(toRule(proposal))))
    return sparing.length > 0 ? sparing : this.#proposals
  }

  /** Withdraws every proposal that would allow a call that was refused, or may have been. */
  refused(call: PastCall, facts: GateFacts): void {
    if (!wasRefused(call)) return
    for (;;) {
      const wrong = new Set([...this.sparing(call, facts), ...this.#perhaps(call, facts)])
      if (wrong.size === 0) return
      this.contradicted += wrong.size
      // A pattern that covers too much may still be right for some of its parts.
      this.#keep(
        this.#proposals.flatMap((proposal) => (wrong.has(proposal) ? proposal.parts : proposal)),
      )
    }
  }

  /** If a call's arguments are not fully known, the known words decide. */
  #perhaps(call: PastCall, facts: GateFacts): readonly Proposal[] {
    if (reevaluate(call, facts, this.#find).kind === 'judged') return []
    const text = call.arguments ?? ''
    const words = new Set(text.split(/[^\w.-]+/))
    const isCommand = runsCommands(this.#find(call.tool) ?? {})
    return this.#proposals.filter(({ tool, pattern }) => {
      return tool === call.tool && (!isCommand || words.has(pattern.split(' ')[0] ?? ''))
    })
  }

  #keep(proposals: readonly Proposal[]): void {
    this.#proposals = proposals
    this.#rules = proposals.map(toRule)
    this.#made = new WeakMap()
  }

  #with(facts: GateFacts): GateFacts {
    const { worker } = facts
    if (worker.kind !== 'rules') return facts
    const known = this.#made.get(facts)
    if (known !== undefined) return known
    const rules = [...worker.rules, ...this.#rules]
    const made: GateFacts = { ...facts, worker: { kind: 'rules', rules } }
    this.#made.set(facts, made)
    return made
  }
}

function toRule({ tool, pattern }: Proposal): Rule {
  return createRule({ layer: 'worker', tool, pattern, action: 'allow', grant: true })
}

/** A rule that would have made a question unnecessary: for exactly this value, and for similar ones if that may be proposed. */
export interface Candidate {
  readonly tool: string
  readonly exact: string
  readonly wide: string | undefined
  /** The value asked about, for display. */
  readonly text: string
}

/** APPR-21: the rules that would allow a call that asks by these facts; empty if none may be proposed. */
export function candidatesOf(
  spec: ToolSpec,
  args: GateCall['args'],
  facts: GateFacts,
): readonly Candidate[] {
  const call = { spec, args }
  const candidates = runsCommands(spec) ? ofCommand(call, facts) : ofTool(call, facts)
  const exact = candidates.map(({ tool, exact: pattern }): Grant => ({ tool, pattern }))
  const grants = [...facts.grants, ...exact]
  // Other obstacles: hazards, deny rules, outside paths.
  return evaluateCall(call, { ...facts, grants }).action === 'allow' ? candidates : []
}

function ofCommand(call: GateCall, facts: GateFacts): readonly Candidate[] {
  const { verdict, analysis, decisions } = explain(call, facts)
  if (verdict.action !== 'ask' || analysis === undefined || analysis.hazards.length > 0) return []
  const commands = analysis.commands.filter(({ standing }) => standing === 'plain')
  if (!commands.every(mayBeSuggested)) return []
  const asks = new Set(decisions.flatMap(({ about, action }) => (action === 'ask' ? about : [])))
  return commands
    .filter(({ words }) => asks.has(words.join(' ')))
    .map((command) => toCandidate(call.spec.name, command, analysis, facts))
}

function mayBeSuggested({ words, hazards, form }: SubCommand): boolean {
  return hazards.length === 0 && form === undefined && !isNeverSuggested(words)
}

function toCandidate(
  tool: string,
  command: SubCommand,
  analysis: ShellAnalysis,
  facts: GateFacts,
): Candidate {
  const text = command.words.join(' ')
  const [offered] = alwaysForCommand({ ...analysis, commands: [command] }, false, facts)
  // A command without arguments belongs to the pattern with arguments.
  const wide = [offered, `${offered} *`].find((one) => one !== undefined && mayBeWide(one))
  return { tool, exact: escapeWildcard(text), wide, text }
}

function ofTool(call: GateCall, facts: GateFacts): readonly Candidate[] {
  const { name, ruledBy } = call.spec
  const { action, patterns, alwaysPatterns } = evaluateCall(call, facts)
  if (action !== 'ask') return []
  const [text = ''] = patterns
  if (ruledBy?.kind === 'url') {
    return [{ tool: name, exact: escapeWildcard(text), wide: alwaysPatterns[0], text }]
  }
  // A person may still write the rule for a tool that changes something elsewhere.
  if (ruledBy?.kind === 'arguments') {
    const exact = call.spec.mutating ? undefined : exactArguments(call.args, call.spec.origin)
    return exact === undefined ? [] : [{ tool: name, exact, wide: undefined, text: exact }]
  }
  // The whole workspace is too wide.
  if (!isOfOnePath(call.spec) || alwaysPatterns.includes('.')) return []
  return alwaysPatterns.map((exact) => ({ tool: name, exact, wide: undefined, text: exact }))
}

/** A tool with a single path that still exists afterwards. */
function isOfOnePath({ ruledBy, paths = [] }: ToolSpec): boolean {
  const [path, ...others] = paths
  if (ruledBy?.kind !== 'paths' || ruledBy.pattern !== undefined) return false
  return path !== undefined && others.length === 0 && path.use !== 'remove'
}
