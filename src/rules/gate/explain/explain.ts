import type { Action, Verdict } from '../../../domain/verdict.ts'
import { commandOf } from '../../tools/tool-spec.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../gate.ts'
import type { Decision, Evaluation } from '../permissions/evaluation.ts'
import { describeRule, type LayerName, type Rule } from '../permissions/rule.ts'
import { analyseCommand } from '../shell/analyse-command.ts'
import type { ShellAnalysis } from '../shell/analysis.ts'

/** A matching rule with its layer. */
export interface MatchedRule {
  readonly layer: LayerName
  /** In the form shown in the trace. */
  readonly rule: string
  readonly action: Action
  /** Written by *Always*. */
  readonly grant: boolean
  /** This rule decided. */
  readonly won: boolean
}

/** The decision of the permission layers on one value of a call, with its reasons. */
export interface ExplainedDecision {
  readonly tool: string
  /** The command, path, URL or name; empty if the tool's name alone is matched. */
  readonly about: string
  readonly action: Action
  /** The step that decided, in words, and why not another. */
  readonly why: string
  /** By layer, each in its order. */
  readonly matched: readonly MatchedRule[]
}

/** APPR-12: a verdict with all facts that led to it. */
export interface Explanation {
  readonly verdict: Verdict
  /** For bash: the commands that would run, and the hazards of its text. */
  readonly analysis: ShellAnalysis | undefined
  readonly decisions: readonly ExplainedDecision[]
}

/** APPR-12: evaluates a call like the gate and reports the steps. Never throws. */
export function explain(call: GateCall, facts: GateFacts): Explanation {
  const decisions = new Map<string, ExplainedDecision>()
  const witness = (seen: Evaluation): void => {
    const key = JSON.stringify([seen.tool, seen.about, seen.decision.action])
    if (!decisions.has(key)) decisions.set(key, toExplained(seen))
  }
  const verdict = evaluateCall(call, { ...facts, witness })
  return { verdict, analysis: analysisOf(call), decisions: [...decisions.values()] }
}

function analysisOf({ spec, args }: GateCall): ShellAnalysis | undefined {
  const command = commandOf(spec, args)
  return command === undefined ? undefined : analyseCommand(command)
}

function toExplained({ tool, about, rules, matches, decision }: Evaluation): ExplainedDecision {
  const { agent, operator, file, grants } = rules
  const matched = [...agent, ...operator, ...file, ...grants].filter(matches)
  return {
    tool,
    about,
    action: decision.action,
    why: whyOf(decision, matched),
    matched: matched.map((rule) => toMatched(rule, decision)),
  }
}

function toMatched(rule: Rule, decision: Decision): MatchedRule {
  const { layer, action, grant } = rule
  return { layer, rule: describeRule(rule), action, grant, won: rule === decision.rule }
}

function whyOf({ by, why, rule, action }: Decision, matched: readonly Rule[]): string {
  if (rule === undefined) return why ?? 'no rule matches'
  switch (by) {
    case 'veto':
      return `a deny of the ${rule.layer}'s rules is final`
    case 'file':
      return 'the last rule of the worker\u2019s file that matches denies, which no grant undoes'
    case 'grant':
      return 'what was granted turns ask into allow'
    default:
      if (action === 'ask' && matched.some(({ grant }) => grant))
        return 'this, or another rule below, asks for more than the call of the grant did'
      return overridesStar(rule, matched)
        ? 'a bare * of the worker\u2019s file does not override what the operator named'
        : `it is the last rule that matches${action === 'ask' ? ', and nothing was granted' : ''}`
  }
}

function overridesStar(rule: Rule, matched: readonly Rule[]): boolean {
  const isBefore = rule.layer === 'operator' || rule.layer === 'agent'
  return isBefore && matched.some((other) => other.layer === 'worker' && other.matchesAll)
}
