import type { ToolTrust } from '../../../domain/trust.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { Rule } from '../permissions/rule.ts'
import { decidePolicy, deniedGlobs, denyRules, forbidsAll } from '../policy/decide-policy.ts'
import type { PolicyCall } from '../policy/policy-call.ts'
import type { Finding } from './finding.ts'

/**
 * POL-01, POL-02: what the operator's policy says. Its reason reaches the model and cards and names no rule; the rule goes
 * to the audit alone.
 */
export function checkPolicy(call: PolicyCall, facts: GateFacts): readonly Finding[] {
  if (facts.policy === undefined) return []
  const { effect, trace } = decidePolicy(facts.policy, call, contextOf(facts))
  const rule = trace === undefined ? {} : { rule: trace }
  if (effect === 'deny') {
    return [{ check: 'policy', action: 'deny', reason: 'policy forbids it', ...rule }]
  }
  if (trace === undefined) return []
  return [{ check: 'policy', action: 'allow', reason: 'the policy lets it go on', ...rule }]
}

/** REG-04: whether the policy denies a tool for every input. */
export function isForbidden(tool: string, facts: GateFacts): boolean {
  return facts.policy !== undefined && forbidsAll(facts.policy, tool, contextOf(facts))
}

/** GATE-07: the paths that the policy keeps from a tool whatever its arguments, for the executor. */
export function forbiddenPaths(tool: string, facts: GateFacts): readonly Rule[] {
  return facts.policy === undefined ? [] : deniedGlobs(facts.policy, tool, contextOf(facts))
}

/**
 * What its deny rules keep from a tool by paths, whatever else they name; undefined where one looks at texts, from which what
 * a pattern stands for cannot be told.
 */
export function keptByPolicy(tool: string, facts: GateFacts): readonly Rule[] | undefined {
  if (facts.policy === undefined) return []
  const denies = denyRules(facts.policy, tool, contextOf(facts))
  if (denies.some(({ args }) => args !== undefined)) return undefined
  return denies.flatMap(({ paths }) => paths)
}

const nothing: ReadonlySet<string> = new Set()
const noTrust: ToolTrust = new Map()

function contextOf({ variables = nothing, trust = noTrust }: GateFacts) {
  return { variables, trust }
}
