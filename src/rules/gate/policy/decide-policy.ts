import { type ToolTrust, trustOf } from '../../../domain/trust.ts'
import type { PathForms } from '../../../shared/paths/path-forms.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import { matchesWildcard } from '../../../util/text/wildcard-match.ts'
import { isMcpName, type NamedTool, namesTool } from '../../tools/mcp-names.ts'
import type { Rule } from '../permissions/rule.ts'
import type { Policy, PolicyEffect, PolicyRule } from './policy.ts'
import type { CandidateValues, PolicyCall } from './policy-call.ts'

/** The facts beside the call that policy rules may use. */
export interface PolicyContext {
  /** The variables named by rules that are set. */
  readonly variables: ReadonlySet<string>
  readonly trust: ToolTrust
}

export interface PolicyDecision {
  readonly effect: PolicyEffect
  /** The rule that decided; undefined: none matches, and `default_effect` is allow. */
  readonly trace: string | undefined
}

/** A tool; by name where it is built in. */
type Named = NamedTool | string

/** POL-01: applies the first matching rule, else `default_effect`. */
export function decidePolicy(
  policy: Policy,
  call: PolicyCall,
  context: PolicyContext,
): PolicyDecision {
  const paths = once(call.paths)
  const texts = once(call.texts)
  const named = call.origin === undefined ? call.tool : { name: call.tool, origin: call.origin }
  const rule = policy.rules.find(
    (candidate) =>
      speaksOf(candidate, named, context) &&
      (candidate.paths.length === 0 || holds(candidate, paths(), fitsPath(candidate))) &&
      (candidate.args === undefined || holds(candidate, texts(), candidate.args.test)),
  )
  if (rule !== undefined) return { effect: rule.effect, trace: rule.trace }
  const { defaultEffect } = policy
  const trace = defaultEffect === 'deny' ? `default_effect deny: tool=${call.tool}` : undefined
  return { effect: defaultEffect, trace }
}

/** Whether the policy denies all calls of a tool, so that models need not see it. */
export function deniesEveryCall(policy: Policy, tool: Named, context: PolicyContext): boolean {
  const rules = policy.rules.filter((rule) => speaksOf(rule, tool, context))
  const whole = rules.findIndex((rule) => rule.paths.length === 0 && rule.args === undefined)
  const counted = whole === -1 ? rules : rules.slice(0, whole + 1)
  const isClosed = whole === -1 ? policy.defaultEffect === 'deny' : true
  return isClosed && counted.every(({ effect }) => effect === 'deny')
}

/** Whether the result for a tool depends on more than the call: on its trust or on set variables. */
export function dependsOnContext({ rules }: Policy, tool: Named): boolean {
  return rules.some(
    (rule) => isFor(rule, tool) && (rule.trustLevel !== undefined || rule.env.length > 0),
  )
}

/**
 * The globs of deny rules that apply regardless of arguments; tools that walk directory trees skip them. May deny more than the
 * policy, where an earlier rule allows a path, never less.
 */
export function deniedGlobs(policy: Policy, tool: string, context: PolicyContext): readonly Rule[] {
  return denyRules(policy, tool, context)
    .filter(({ args }) => args === undefined)
    .flatMap(({ paths }) => paths)
}

/** The deny rules for a tool. */
export function denyRules(
  { rules }: Policy,
  tool: string,
  context: PolicyContext,
): readonly PolicyRule[] {
  return rules.filter((rule) => rule.effect === 'deny' && speaksOf(rule, tool, context))
}

function speaksOf(rule: PolicyRule, tool: Named, { variables, trust }: PolicyContext): boolean {
  if (!isFor(rule, tool)) return false
  const name = typeof tool === 'string' ? tool : tool.name
  if (rule.trustLevel !== undefined && rule.trustLevel !== trustOf(trust, name)) return false
  return rule.env.every((name) => variables.has(name))
}

function isFor({ tool: wildcard, text, effect }: PolicyRule, tool: Named): boolean {
  if (typeof tool === 'string' && !isMcpName(text.tool)) return matchesWildcard(wildcard, tool)
  return namesTool(text.tool, typeof tool === 'string' ? { name: tool } : tool, effect)
}

function holds<T>(
  { effect }: PolicyRule,
  { each, any, isKnown, isCut }: CandidateValues<T>,
  fits: (value: T) => boolean,
): boolean {
  if (effect === 'deny') return isCut || any.some(fits)
  return isKnown && !isCut && each.length > 0 && each.every(fits)
}

/** After `cd` a path may be one of several: a deny needs one match, an allow must match all. */
function fitsPath({ paths, effect }: PolicyRule): (forms: readonly PathForms[]) => boolean {
  const fits = (form: PathForms): boolean => paths.some((rule) => matchesPath(rule, form))
  return (forms) => (effect === 'deny' ? forms.some(fits) : forms.every(fits))
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
