import type { Asking } from '../../../domain/verdict.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import type { NamedTool } from '../../tools/mcp-names.ts'
import type { GateFacts } from '../gate-facts.ts'
import { evaluate, narrowToPath, toToolRules } from '../permissions/evaluate.ts'
import type { Decision, ToolRules } from '../permissions/evaluation.ts'
import { describeRule, type Rule } from '../permissions/rule.ts'
import type { PathValue, Value } from '../values.ts'
import type { Finding } from './finding.ts'

/** Why a command asks in a box without confinement, though a rule for all commands allows it (BOX-01). */
export const unconfinedReason = 'commands are not confined here, and no rule names this one'

/** GATE-02: applies the permission layers to each value of a call. */
export function checkPermissions(
  tool: NamedTool,
  values: readonly Value[],
  facts: GateFacts,
): readonly Finding[] {
  const rules = toToolRules(facts, tool)
  return values.flatMap((value) => [
    ...valueFindings(value, rulesOf(value, rules)),
    ...checkRelatedUse(value.path, facts),
  ])
}

function valueFindings(value: Value, rules: ToolRules): readonly Finding[] {
  const { text, matches, mayMatch, does = [] } = value
  const decision = evaluate(rules, matches, { about: text, does })
  if (mayMatch === undefined) {
    return [withOffer(toFinding(rules.tool, text, decision), value, decision)]
  }
  const { agent, operator, file } = rules
  const isDecided =
    decision.action === 'deny' || ![agent, operator, file].some((layer) => layer.some(mayMatch))
  // The text is the whole call, which is shown beside the reasons.
  if (isDecided) return [withOffer(toFinding(rules.tool, '', decision), value, decision)]
  return undecidedFindings({ ...value, mayMatch }, rules)
}

function withOffer(finding: Finding, { always }: Value, decision: Decision): Finding {
  if (always === undefined) return finding
  return { ...finding, offer: { pattern: always, beats: decision.met ?? [] } }
}

/**
 * MCP-03: where the arguments do not tell whether a rule applies, one that asks does, and one that denies asks, whatever was
 * granted. Both are tried apart, since the last match wins and one could hide the other.
 */
function undecidedFindings(
  value: Value & Required<Pick<Value, 'mayMatch'>>,
  rules: ToolRules,
): readonly Finding[] {
  const { text, matches, mayMatch, does = [] } = value
  const perhaps = (action: Rule['action'], watched: ToolRules): Decision =>
    evaluate(watched, (rule) => matches(rule) || (rule.action === action && mayMatch(rule)), {
      about: text,
      does,
    })
  const asked = perhaps('ask', rules)
  const finding = withOffer(toFinding(rules.tool, '', asked), value, asked)
  const isUndecided = asked.rule !== undefined && mayMatch(asked.rule)
  const own = isUndecided ? { ...finding, ...undecided(rules.tool, asked.rule) } : finding
  const denied = perhaps('deny', { ...rules, witness: undefined })
  if (denied.action !== 'deny' || denied.rule === undefined) return [own]
  const doubt = { check: 'permissions', action: 'ask', isFirm: true, mayBeDenied: true } as const
  return [own, { ...doubt, ...undecided(rules.tool, denied.rule) }]
}

function undecided(tool: string, rule: Rule): Pick<Finding, 'reason' | 'rule' | 'asks'> {
  const about = `${tool} ${JSON.stringify(rule.pattern)}`
  return {
    reason: `${about}: the arguments do not tell whether this rule of the ${rule.layer} applies`,
    rule: describeRule(rule),
    asks: { why: 'undecided', about },
  }
}

function rulesOf({ path }: Value, rules: ToolRules): ToolRules {
  return path === undefined ? rules : narrowToPath(rules, path.forms.names)
}

export function toFinding(tool: string, text: string, decision: Decision): Finding {
  const { action, rule, why } = decision
  const about = text === '' ? tool : `${tool} ${JSON.stringify(text)}`
  const reason =
    rule === undefined ? `${about}: ${why}` : `${about}: a rule of the ${rule.layer} says ${action}`
  return {
    check: 'permissions',
    action,
    reason,
    ...(action === 'ask' && { asks: askingOf(about, reason, decision) }),
    ...(rule === undefined ? {} : { rule: describeRule(rule) }),
    ...(rule?.grantId === undefined ? {} : { grantId: rule.grantId }),
  }
}

function askingOf(about: string, reason: string, { rule, by, why }: Decision): Asking {
  if (rule !== undefined) return { why: 'rule', about, layer: rule.layer }
  if (by === 'none') return { why: 'none', about }
  return why === unconfinedReason ? { why: 'unconfined', about } : { why: 'other', about: reason }
}

/** A path that may not be read may not be searched, copied or moved either; one that may not be written is no valid target. */
function checkRelatedUse(path: PathValue | undefined, facts: GateFacts): readonly Finding[] {
  const as = path?.deniedLike
  if (path === undefined || as === undefined) return []
  const decision = denied(toToolRules(facts, as), path)
  return decision === undefined ? [] : [toFinding(as, path.forms.given, decision)]
}

function denied(rules: ToolRules, path: PathValue): Decision | undefined {
  const { forms } = path
  const own = narrowToPath(rules, forms.names)
  const decision = evaluate(own, (rule) => matchesPath(rule, forms), { about: forms.given })
  return decision.action === 'deny' ? decision : undefined
}
