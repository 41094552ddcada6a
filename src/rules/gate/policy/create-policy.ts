import { pathPatternProblem } from '../../../shared/glob/path-glob.ts'
import { type LinearRegex, toLinearRegex } from '../../../util/text/linear-regex.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { toWildcard } from '../../../util/text/wildcard-match.ts'
import { toToolName } from '../../tools/registry.ts'
import { createRule } from '../permissions/rule.ts'
import type { Policy, PolicyEffect, PolicyRule, PolicyRuleText } from './policy.ts'

/** The parts of the `[tools]` section that define the policy. */
export interface PolicySections {
  readonly policy: {
    readonly enabled: boolean
    readonly defaultEffect: PolicyEffect
    readonly rules: readonly PolicyRuleText[]
  }
  readonly authorization: { readonly enabled: boolean; readonly rules: readonly PolicyRuleText[] }
}

export type PolicyOutcome =
  /** Neither section is enabled. */
  | { readonly kind: 'off' }
  | { readonly kind: 'policy'; readonly policy: Policy }
  /** One sentence for each invalid rule, with its number. */
  | { readonly kind: 'damaged'; readonly problems: readonly string[] }

const maxRules = 256

/**
 * POL-01: joins both sections into one list, the policy's rules first. `default_effect` applies as soon as either is enabled;
 * otherwise an allow in the second alone would have no effect.
 */
export function createPolicy({ policy, authorization }: PolicySections): PolicyOutcome {
  if (!policy.enabled && !authorization.enabled) return { kind: 'off' }
  const made = [
    ...(policy.enabled ? policy.rules : []).map((rule, at) => toRule(rule, 'rule', at)),
    ...(authorization.enabled ? authorization.rules : []).map((rule, at) =>
      toRule(rule, 'authorization', at),
    ),
  ]
  const problems = made.flatMap((one) => (one.kind === 'wrong' ? [one.why] : []))
  if (made.length > maxRules) problems.push(`policy: ${made.length} rules, at most ${maxRules}`)
  if (problems.length > 0) return { kind: 'damaged', problems }
  const rules = made.flatMap((one) => (one.kind === 'rule' ? [one.rule] : []))
  return { kind: 'policy', policy: { rules, defaultEffect: policy.defaultEffect } }
}

type Made =
  | { readonly kind: 'rule'; readonly rule: PolicyRule }
  | { readonly kind: 'wrong'; readonly why: string }

function toRule(text: PolicyRuleText, section: string, at: number): Made {
  const name = `${section}[${at}]`
  const { effect, paths, env, trustLevel } = text
  const args = text.argsMatch === undefined ? undefined : toLinearRegex(text.argsMatch)
  if (args?.kind === 'refused') {
    return { kind: 'wrong', why: `${name} args_match: the regular expression ${args.why}` }
  }
  for (const path of paths) {
    const problem = pathPatternProblem(path)
    if (problem !== undefined) return { kind: 'wrong', why: `${name} paths: ${problem}` }
  }
  const rule: PolicyRule = {
    text,
    trace: `${name} ${effect}: ${describe(text)}`,
    effect,
    tool: toWildcard(toToolName(text.tool)),
    paths: paths.map((pattern) =>
      createRule({ layer: 'agent', tool: '*', pattern, action: effect }),
    ),
    args: regexOf(args),
    env,
    trustLevel,
  }
  return { kind: 'rule', rule }
}

function regexOf(args: ReturnType<typeof toLinearRegex> | undefined): LinearRegex | undefined {
  return args?.kind === 'regex' ? args.regex : undefined
}

const longestShown = 200

/** Describes a rule in one line. */
function describe({ tool, paths, argsMatch, env, trustLevel }: PolicyRuleText): string {
  const parts = [
    `tool=${tool}`,
    paths.length === 0 ? undefined : `paths=${paths.join(',')}`,
    argsMatch === undefined ? undefined : `args_match=${argsMatch}`,
    env.length === 0 ? undefined : `env=${env.join(',')}`,
    trustLevel === undefined ? undefined : `trust_level=${trustLevel}`,
  ]
  return shorten(parts.filter((part) => part !== undefined).join(' '), longestShown)
}
