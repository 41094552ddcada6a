import type { Effect } from '../../domain/effect.ts'
import { trustOf } from '../../domain/trust.ts'
import type { Asking, Risk, TraceEntry, Verdict } from '../../domain/verdict.ts'
import { commandOf, runsCommands, type ToolSpec } from '../tools/tool-spec.ts'
import { checkUrl } from '../web/check-url.ts'
import { alwaysForCommand } from './always.ts'
import { checkPaths } from './checks/allowed-paths.ts'
import { checkDriver } from './checks/driver-refusal.ts'
import { type Finding, strictest } from './checks/finding.ts'
import { checkFoundFiles, checkInstructionFiles } from './checks/orders.ts'
import { checkPermissions } from './checks/permissions.ts'
import { checkPolicy, isForbidden } from './checks/policy.ts'
import { checkProtected } from './checks/protected-paths.ts'
import { withReview } from './checks/review.ts'
import { checkShell } from './checks/shell.ts'
import { distinctEffects, effectsOfCommand, effectsOfFindings, effectsOfTool } from './effects.ts'
import type { GateCall, GateFacts } from './gate-facts.ts'
import { allowsEverything } from './permissions/allows-everything.ts'
import { deniesAll, toToolRules } from './permissions/evaluate.ts'
import { toPolicyCommand } from './policy/bash-call.ts'
import { type PolicyCall, toPolicyCall } from './policy/policy-call.ts'
import { analyseCommand } from './shell/analyse-command.ts'
import type { ShellAnalysis } from './shell/analysis.ts'
import { baseName } from './shell/programs/program-name.ts'
import { destructive, networked } from './shell/programs/programs.ts'
import { workspacePrograms } from './shell/programs/workspace-programs.ts'
import { namedPaths, type PathValue, type Value, valuesOf } from './values.ts'

export type { GateCall, GateFacts } from './gate-facts.ts'

const maxShown = 100

/**
 * Evaluates one tool call from the given facts alone. Never throws; a call that cannot be evaluated is denied. Time is bounded by
 * the size of the arguments times the number of rules.
 */
export function evaluateCall(call: GateCall, facts: GateFacts): Verdict {
  try {
    const verdict = runsCommands(call.spec)
      ? evaluateShellCall(call, facts)
      : evaluateOtherTool(call, facts)
    return withoutNeedlessEffects(withReview(verdict, call, facts))
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown'
    const reason = `the gate failed (${kind}); nothing runs that it cannot judge`
    return toVerdict([], [], [{ check: 'gate', action: 'deny', reason, isHazard: true }], 'high')
  }
}

/** Effects are for people: a call that runs without a question has none, unless a review may yet ask. */
function withoutNeedlessEffects(verdict: Verdict): Verdict {
  if (verdict.action === 'ask' || verdict.unreviewed === true) return verdict
  const { effects: _, ...others } = verdict
  return others
}

/** REG-04: whether a tool is blocked, or denied for every input, so that models do not see it. */
export function isHidden(spec: ToolSpec, facts: GateFacts): boolean {
  if (strictest(checkTrust(spec.name, facts)) === 'deny') return true
  if (isForbidden(spec, facts)) return true
  const { agent, operator, file } = toToolRules(facts, spec)
  return [agent, operator, file].some(deniesAll)
}

function evaluateShellCall(call: GateCall, facts: GateFacts): Verdict {
  const { spec } = call
  const text = commandOf(spec, call.args) ?? ''
  const analysis = analyseCommand(text)
  const early = checkEarly(call, toPolicyCommand(spec.name, text, analysis, facts), facts)
  const { findings, uncounted, hasNotice } = early.isFinal
    ? onlyEarly
    : checkShell(text, analysis, facts)
  const shown = analysis.commands.filter(({ standing }) => standing !== 'perhaps')
  const patterns = shown.map(({ words }) => words.join(' '))
  const found = allowsEverything(facts.worker) ? [] : checkFoundFiles(call.canonical ?? [], facts)
  const isFirm = hasNotice || early.asks || found.length > 0
  const always = alwaysForCommand(analysis, isFirm, facts)
  const files = workspacePrograms(text, analysis, facts.workspace)
  const verdict = toVerdict(
    patterns,
    always,
    [
      ...early.findings,
      ...checkDriver(text, call.args['background'] === true, facts),
      ...findings,
      ...found,
    ],
    riskOfCommand(analysis),
    [...effectsOfCommand(analysis, files, facts.workspace), ...effectsOfFindings(uncounted)],
  )
  const { programs, unbound } = files
  return {
    ...verdict,
    ...(programs.length === 0 ? {} : { programs }),
    ...(unbound.length === 0 || verdict.action !== 'ask' ? {} : { unbound }),
  }
}

const onlyEarly = { findings: [], uncounted: [], hasNotice: true } as const

/** The checks before permissions: a deny is final, and no rule, grant or GATE-10 overrides an ask. */
function checkEarly(call: GateCall, asked: PolicyCall, facts: GateFacts) {
  const trust = checkTrust(call.spec.name, facts)
  const policy = strictest(trust) === 'deny' ? [] : checkPolicy(asked, facts)
  const findings: readonly Finding[] = [
    ...trust,
    ...policy,
    ...checkTextCall(call, facts),
    ...checkPerson(call.spec),
  ]
  const action = strictest(findings)
  return { findings, isFinal: action === 'deny', asks: action === 'ask' }
}

function evaluateOtherTool(call: GateCall, facts: GateFacts): Verdict {
  const values = valuesOf(call, facts)
  const paths = pathsOf(call, values, facts)
  const patterns = values.map(({ text }) => text).filter(Boolean)
  const early = checkEarly(call, toPolicyCall(call, paths, facts), facts)
  if (early.isFinal) return toVerdict(patterns, [], early.findings, riskOfTool(call, paths))
  const findings = [
    ...checkProtected(paths, facts),
    ...checkInstructionFiles(paths, facts),
    ...checkFoundFiles((call.canonical ?? []).slice(call.spec.paths?.length ?? 0), facts),
    ...checkPaths(paths, { ...facts, allowedPaths: reachOf(call.spec, facts) }),
    ...checkAddress(call, facts),
    ...checkPermissions(call.spec, values, facts),
  ]
  const counted = allowsEverything(facts.worker)
    ? findings.filter(({ action, mayBeDenied }) => action !== 'ask' || mayBeDenied === true)
    : findings
  // If no rule can override a finding, no grant is offered.
  const isNoticed = findings.some(
    ({ check, action, isFirm }) => action === 'ask' && (check === 'orders' || isFirm === true),
  )
  const always = early.asks || isNoticed ? [] : alwaysOf(values)
  const all = [...early.findings, ...counted]
  return toVerdict(patterns, always, all, riskOfTool(call, paths), [
    ...effectsOfTool(call, paths, facts.workspace),
    ...effectsOfFindings(findings.filter((finding) => !counted.includes(finding))),
  ])
}

/** Paths a tool may read and write, absolute in its box; empty: the workspace. */
export function reachOf(
  spec: Pick<ToolSpec, 'runsPrograms'>,
  facts: Pick<GateFacts, 'allowedPaths' | 'commandPaths'>,
): readonly string[] {
  return spec.runsPrograms === true ? facts.commandPaths : facts.allowedPaths
}

function pathsOf(call: GateCall, values: readonly Value[], facts: GateFacts): readonly PathValue[] {
  const named = values.flatMap(({ path }) => (path === undefined ? [] : [path]))
  return named.length > 0 ? named : namedPaths(call, facts.workspace)
}

/** WEB-02: denies an address that would be refused anyway, instead of asking for approval. */
function checkAddress(call: GateCall, facts: GateFacts): readonly Finding[] {
  const { ruledBy } = call.spec
  if (ruledBy?.kind !== 'url') return []
  const url = call.args[ruledBy.argument]
  const checked = checkUrl(typeof url === 'string' ? url : '', facts.web)
  if (checked.kind === 'ok') return []
  return [{ check: 'url', action: 'deny', reason: checked.why, isHazard: true }]
}

function alwaysOf(values: readonly Value[]): readonly string[] {
  return [...new Set(values.flatMap(({ always }) => always ?? []))]
}

function toVerdict(
  patterns: readonly string[],
  always: readonly string[],
  findings: readonly Finding[],
  risk: Risk,
  effects: readonly Effect[] = [],
): Verdict {
  const action = strictest(findings)
  const trace = findings.map(toEntry)
  const grants = action === 'allow' ? unique(findings.flatMap(({ grantId }) => grantId ?? [])) : []
  const reasons = trace.filter((entry) => entry.action === action).map((entry) => entry.reason)
  const offered = action === 'deny' ? [] : always
  const beats = beatsOf(offered, findings)
  return {
    action,
    patterns: unique(patterns),
    alwaysPatterns: offered,
    ...(Object.keys(beats).length === 0 ? {} : { alwaysBeats: beats }),
    reasons: action === 'allow' ? [] : shortened(unique(reasons)),
    ...(action === 'ask' && { asks: asksOf(findings) }),
    ...(action !== 'deny' && {
      effects: distinctEffects([...effects, ...effectsOfFindings(findings)]),
    }),
    trace: strictestFirst(trace, action),
    risk: findings.some(({ isHazard }) => isHazard) ? 'high' : risk,
    ...(grants.length === 0 ? {} : { grants }),
  }
}

function asksOf(findings: readonly Finding[]): readonly Asking[] {
  const asks = findings.flatMap(({ asks: one }) => one ?? [])
  const distinct = [...new Map(asks.map((one) => [JSON.stringify(one), one])).values()]
  const more = distinct.length - maxShown
  if (more <= 0) return distinct
  return [...distinct.slice(0, maxShown), { why: 'other', about: `… +${more}` }]
}

function toEntry({ check, action, reason, rule }: Finding): TraceEntry {
  return { check, action, reason, ...(rule === undefined ? {} : { rule }) }
}

/**
 * APPR-07: the questions that a grant of this call would override; for several commands with the same pattern, the questions of
 * all of them.
 */
function beatsOf(
  offered: readonly string[],
  findings: readonly Finding[],
): NonNullable<Verdict['alwaysBeats']> {
  const offers = findings.flatMap(({ offer }) => offer ?? [])
  const found = offered.map((pattern): [string, readonly string[]] => {
    const own = offers.filter((offer) => offer.pattern === pattern)
    return [pattern, unique(own.flatMap(({ beats }) => beats))]
  })
  return Object.fromEntries(found.filter(([, beats]) => beats.length > 0))
}

/** Shortens a long trace so that it keeps the deciding entries and the policy's (POL-02). */
function strictestFirst(trace: Verdict['trace'], action: Verdict['action']): Verdict['trace'] {
  if (trace.length <= maxShown) return trace
  const isFirst = (entry: TraceEntry): boolean =>
    entry.action === action || entry.check === 'policy'
  const decided = trace.filter(isFirst)
  const others = trace.filter((entry) => !isFirst(entry))
  return [...decided, ...others].slice(0, maxShown)
}

function shortened(reasons: readonly string[]): readonly string[] {
  if (reasons.length <= maxShown) return reasons
  return [...reasons.slice(0, maxShown), `and ${reasons.length - maxShown} more reasons`]
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/**
 * MODEL-02: text that looks like a call may be a quotation, so the first one of a session asks, whatever rules and grants say.
 */
function checkTextCall(
  { inText }: Pick<GateCall, 'inText'>,
  { trustsText }: Pick<GateFacts, 'trustsText'>,
): readonly Finding[] {
  if (inText !== true || trustsText === true) return []
  const reason = 'the first call in this session that the model wrote as text'
  return [{ check: 'text', action: 'ask', reason, effect: { kind: 'text_call' } }]
}

/** MCP-02: a tool may ask that a person answers for each call; nothing takes that back, GATE-10 included. */
function checkPerson({ name, requiresPerson }: ToolSpec): readonly Finding[] {
  if (requiresPerson !== true) return []
  const reason = `${name} requires a person for each call, so no rule can allow it`
  return [{ check: 'person', action: 'ask', reason, asks: { why: 'person', about: name } }]
}

/** POL-03: a blocked tool never runs; a quarantined one always asks, whatever rules and grants say (including GATE-10). */
function checkTrust(tool: string, { trust }: Pick<GateFacts, 'trust'>): readonly Finding[] {
  const level = trustOf(trust, tool)
  if (level === 'blocked') {
    const reason = `the tool ${tool} is blocked; only an operator can let it run again`
    return [{ check: 'trust', action: 'deny', reason }]
  }
  if (level !== 'quarantined') return []
  const reason = `the tool ${tool} is quarantined, so every call of it asks`
  const effect = { kind: 'quarantined', of: tool } as const
  return [{ check: 'trust', action: 'ask', reason, isHazard: true, effect }]
}

/** DECISIONS 21: high if any command deletes, destroys or uses the network; else medium. */
function riskOfCommand({ commands }: ShellAnalysis): Risk {
  const programs = commands.map(({ words }) => baseName(words[0] ?? ''))
  return programs.some((name) => destructive.has(name) || networked.has(name)) ? 'high' : 'medium'
}

/**
 * low: reads, and writes inside the workspace; medium: the arguments do not tell; high: deletions, the network, outside paths.
 */
function riskOfTool({ spec }: GateCall, paths: readonly PathValue[]): Risk {
  if (spec.needsNetwork || paths.some(({ forms }) => !forms.inWorkspace)) return 'high'
  return spec.risk ?? (spec.mutating ? 'medium' : 'low')
}
