import type { ToolTrust } from '../../../domain/trust.ts'
import type { NamedTool } from '../../tools/mcp-names.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { Rule } from '../permissions/rule.ts'
import { decidePolicy, deniedGlobs, deniesEveryCall, denyRules } from '../policy/decide-policy.ts'
import type { PolicyCall } from '../policy/policy-call.ts'
import type { Finding } from './finding.ts'

/**
 * POL-01, POL-02: applies the operator's policy. The reason shown to the model and on cards names no rule; the rule is recorded
 * in the audit only.
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
export function isForbidden(tool: NamedTool, facts: GateFacts): boolean {
  return facts.policy !== undefined && deniesEveryCall(facts.policy, tool, contextOf(facts))
}

/** GATE-07: the paths that the policy denies to a tool regardless of arguments, for the executor. */
export function forbiddenPaths(tool: string, facts: GateFacts): readonly Rule[] {
  return facts.policy === undefined ? [] : deniedGlobs(facts.policy, tool, contextOf(facts))
}

/**
 * The policy's deny rules for a tool by path, whatever else they name; undefined if one matches text, because the text after
 * wildcard expansion is unknown.
 */
export function deniedByPolicy(tool: string, facts: GateFacts): readonly Rule[] | undefined {
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
