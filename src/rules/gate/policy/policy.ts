import type { TrustLevel } from '../../../domain/trust.ts'
import type { LinearRegex } from '../../../util/text/linear-regex.ts'
import type { Wildcard } from '../../../util/text/wildcard-match.ts'
import type { Rule } from '../permissions/rule.ts'

/** POL-01: the rules of `[tools.policy]`, then those of `[tools.authorization]`; the first match applies. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
  /** The effect for a call that no rule matches. */
  readonly defaultEffect: PolicyEffect
}

/** A deny is final; an allow proceeds to permissions and never replaces a person's approval. */
export type PolicyEffect = 'allow' | 'deny'

/** A rule as configured. */
export interface PolicyRuleText {
  readonly effect: PolicyEffect
  readonly tool: string
  readonly paths: readonly string[]
  readonly argsMatch?: string | undefined
  readonly env: readonly string[]
  readonly trustLevel?: TrustLevel | undefined
}

/** A rule ready for matching: all of its conditions must hold. */
export interface PolicyRule {
  readonly text: PolicyRuleText
  /** In the form shown in the audit: `rule[3] deny: tool=bash args_match=…`. */
  readonly trace: string
  readonly effect: PolicyEffect
  readonly tool: Wildcard
  /** Empty: any paths. */
  readonly paths: readonly Rule[]
  readonly args: LinearRegex | undefined
  /** Names of variables that must all be set. */
  readonly env: readonly string[]
  readonly trustLevel: TrustLevel | undefined
}
