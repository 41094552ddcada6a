import type { Risk } from '../../domain/risk.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { checkUrl } from '../web/check-url.ts'
import { alwaysForCommand } from './always.ts'
import { checkPaths } from './checks/allowed-paths.ts'
import { type Finding, strictest } from './checks/finding.ts'
import { checkPermissions } from './checks/permissions.ts'
import { checkProtected } from './checks/protected-paths.ts'
import { checkShell } from './checks/shell.ts'
import type { GateCall, GateFacts } from './gate-facts.ts'
import { allowsEverything } from './permissions/allows-everything.ts'
import { deniesAll, toToolRules } from './permissions/evaluate.ts'
import { analyseCommand } from './shell/analyse-command.ts'
import { namedPaths, type PathValue, type Value, valuesOf } from './values.ts'

export type { GateCall, GateFacts } from './gate-facts.ts'

const maxShown = 100

/**
 * The gate: what may be done with one tool call, by its facts alone. Never throws; what it cannot judge it denies. The
 * work is bounded by the size of the arguments times the number of rules.
 */
export function judge(call: GateCall, facts: GateFacts): Verdict {
  try {
    return call.spec.name === 'bash' ? judgeCommand(call, facts) : judgeTool(call, facts)
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown'
    const reason = `the gate failed (${kind}); nothing runs that it cannot judge`
    return toVerdict([], [], [{ check: 'gate', action: 'deny', reason, isHazard: true }], 'high')
  }
}

/** REG-04: whether the layers deny a tool for every input, so that the model is not shown it. */
export function isHidden(spec: ToolSpec, facts: GateFacts): boolean {
  const { agent, operator, file } = toToolRules(facts, spec.name)
  return [agent, operator, file].some(deniesAll)
}

function judgeCommand(call: GateCall, facts: GateFacts): Verdict {
  const command = call.args['command']
  const text = typeof command === 'string' ? command : ''
  const analysis = analyseCommand(text)
  const { findings, hasNotice } = checkShell(text, analysis, facts)
  const shown = analysis.commands.filter(({ standing }) => standing !== 'perhaps')
  const patterns = shown.map(({ words }) => words.join(' '))
  const always = alwaysForCommand(analysis, hasNotice, facts)
  return toVerdict(patterns, always, findings, 'medium')
}

function judgeTool(call: GateCall, facts: GateFacts): Verdict {
  const values = valuesOf(call, facts)
  const paths = pathsOf(call, values, facts)
  const findings = [
    ...checkProtected(paths, facts),
    ...checkPaths(paths, { ...facts, allowedPaths: reachOf(call.spec, facts) }),
    ...checkAddress(call, facts),
    ...checkPermissions(call.spec.name, values, facts),
  ]
  const counted = allowsEverything(facts.worker)
    ? findings.filter(({ action }) => action !== 'ask')
    : findings
  const patterns = values.map(({ text }) => text).filter(Boolean)
  return toVerdict(patterns, alwaysOf(values), counted, riskOf(call))
}

/** Where a tool may read and write, absolute in its box; empty: the workspace. */
export function reachOf(
  spec: Pick<ToolSpec, 'executes'>,
  facts: Pick<GateFacts, 'allowedPaths' | 'commandPaths'>,
): readonly string[] {
  return spec.executes === true ? facts.commandPaths : facts.allowedPaths
}

function pathsOf(call: GateCall, values: readonly Value[], facts: GateFacts): readonly PathValue[] {
  const named = values.flatMap(({ path }) => (path === undefined ? [] : [path]))
  return named.length > 0 ? named : namedPaths(call, facts.workspace)
}

/** WEB-02: nobody is asked to approve what will be refused. */
function checkAddress(call: GateCall, facts: GateFacts): readonly Finding[] {
  if (call.spec.name !== 'fetch' && call.spec.name !== 'web_scrape') return []
  const url = call.args['url']
  const checked = checkUrl(typeof url === 'string' ? url : '', facts.web)
  if (checked.kind === 'ok') return []
  return [{ check: 'url', action: 'deny', reason: checked.why, isHazard: true }]
}

function alwaysOf(values: readonly Value[]): readonly string[] {
  return [...new Set(values.flatMap(({ always }) => always ?? []))]
}

/** low: reads, and writes inside; medium: what its arguments do not tell; high: deletes, and whatever has a hazard. */
function riskOf(call: GateCall): Risk {
  const { name, needsNetwork, mutating, kind } = call.spec
  if (name === 'delete_path' || needsNetwork || kind === 'fetch') return 'high'
  const isNamed = /^(?:write|edit|create_directory|move_path|copy_path)$/.test(name)
  return mutating && !isNamed ? 'medium' : 'low'
}

function toVerdict(
  patterns: readonly string[],
  always: readonly string[],
  findings: readonly Finding[],
  risk: Risk,
): Verdict {
  const action = strictest(findings)
  const trace = findings.map(({ isHazard: _, ...entry }) => entry)
  const reasons = trace.filter((entry) => entry.action === action).map((entry) => entry.reason)
  return {
    action,
    patterns: unique(patterns),
    alwaysPatterns: action === 'deny' ? [] : always,
    reasons: action === 'allow' ? [] : shortened(unique(reasons)),
    trace: strictestFirst(trace, action),
    risk: findings.some(({ isHazard }) => isHazard) ? 'high' : risk,
  }
}

/** A trace too long to be kept still shows what decided. */
function strictestFirst(trace: Verdict['trace'], action: Verdict['action']): Verdict['trace'] {
  if (trace.length <= maxShown) return trace
  const decided = trace.filter((entry) => entry.action === action)
  const others = trace.filter((entry) => entry.action !== action)
  return [...decided, ...others].slice(0, maxShown)
}

function shortened(reasons: readonly string[]): readonly string[] {
  if (reasons.length <= maxShown) return reasons
  return [...reasons.slice(0, maxShown), `and ${reasons.length - maxShown} more reasons`]
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
