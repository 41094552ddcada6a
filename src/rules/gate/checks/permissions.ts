import type { Asking } from '../../../domain/verdict.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import type { GateFacts } from '../gate-facts.ts'
import { evaluate, narrowToPath, toToolRules } from '../permissions/evaluate.ts'
import type { Decision, ToolRules } from '../permissions/evaluation.ts'
import { describeRule } from '../permissions/rule.ts'
import type { PathValue, Value } from '../values.ts'
import type { Finding } from './finding.ts'

/** Why a command asks in a box without confinement, though a rule for all commands allows it (BOX-01). */
export const unconfinedReason = 'commands are not confined here, and no rule names this one'

/** GATE-02: applies the permission layers to each value of a call. */
export function checkPermissions(
  tool: string,
  values: readonly Value[],
  facts: GateFacts,
): readonly Finding[] {
  const rules = toToolRules(facts, tool)
  return values.flatMap((value) => [
    valueFinding(tool, value, rules),
    ...checkRelatedUse(value.path, facts),
  ])
}

function valueFinding(tool: string, value: Value, rules: ToolRules): Finding {
  const { text, always, matches, does = [] } = value
  const decision = evaluate(rulesOf(value, rules), matches, { about: text, does })
  const finding = toFinding(tool, text, decision)
  if (always === undefined) return finding
  return { ...finding, offer: { pattern: always, beats: decision.met ?? [] } }
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
