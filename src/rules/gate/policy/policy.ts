import type { TrustLevel } from '../../../domain/trust.ts'
import type { LinearRegex } from '../../../util/text/linear-regex.ts'
import type { Wildcard } from '../../../util/text/wildcard-match.ts'
import type { Rule } from '../permissions/rule.ts'

/** POL-01: the rules of `[tools.policy]`, then those of `[tools.authorization]`; the first that matches counts. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
  /** What holds for a call that no rule names. */
  readonly defaultEffect: PolicyEffect
}

/** A deny is final; an allow goes on to permissions and never stands for a person's approval. */
export type PolicyEffect = 'allow' | 'deny'

/** A rule as the configuration holds it. */
export interface PolicyRuleText {
  readonly effect: PolicyEffect
  readonly tool: string
  readonly paths: readonly string[]
  readonly argsMatch?: string | undefined
  readonly env: readonly string[]
  readonly trustLevel?: TrustLevel | undefined
}

/** One rule, ready for matching: all that it names must hold. */
export interface PolicyRule {
  readonly text: PolicyRuleText
  /** As the audit shows it: `rule[3] deny: tool=bash args_match=…`. */
  readonly trace: string
  readonly effect: PolicyEffect
  readonly tool: Wildcard
  /** Empty: whatever the paths. */
  readonly paths: readonly Rule[]
  readonly args: LinearRegex | undefined
  /** Names of variables that must all be set. */
  readonly env: readonly string[]
  readonly trustLevel: TrustLevel | undefined
}
