import { createPolicy } from '../../../../src/rules/gate/policy/create-policy.ts'
import type {
  Policy,
  PolicyEffect,
  PolicyRuleText,
} from '../../../../src/rules/gate/policy/policy.ts'

export type RuleInput = Pick<PolicyRuleText, 'effect' | 'tool'> & Partial<PolicyRuleText>

export function ruleText(rule: RuleInput): PolicyRuleText {
  return { paths: [], env: [], ...rule }
}

/** A policy of these rules; `authorization`: rules of the second section. */
export function policyOf(
  rules: readonly RuleInput[],
  defaultEffect: PolicyEffect = 'allow',
  authorization: readonly RuleInput[] = [],
): Policy {
  const outcome = createPolicy({
    policy: { enabled: true, defaultEffect, rules: rules.map(ruleText) },
    authorization: { enabled: authorization.length > 0, rules: authorization.map(ruleText) },
  })
  if (outcome.kind !== 'policy') throw new Error(JSON.stringify(outcome))
  return outcome.policy
}
