import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import type { NamedTool } from '../../tools/mcp-names.ts'
import { findTool, takesPaths } from '../../tools/registry.ts'
import { argumentMatcher } from '../arguments/match-arguments.ts'
import type { GateFacts } from '../gate-facts.ts'
import { allowsEverything } from './allows-everything.ts'
import type { Decision, EvaluationTarget, ToolRules } from './evaluation.ts'
import { createRule, describeRule, type Grant, matchesText, type Rule, rulesFor } from './rule.ts'
import { rulesForPath, rulesForText } from './rule-index.ts'

/** Sample expansions for a wildcard, of characters that occur in no rule. */
const sampleExpansions = ['', '\uE000', '\uE000\uE001 \uE002/\uE000\uE001']

const none: readonly Rule[] = []

/** Collects the rules for a tool; built-in tools may be given by name. */
export function toToolRules(facts: GateFacts, named: NamedTool | string): ToolRules {
  const tool = typeof named === 'string' ? { name: named } : named
  const worker = facts.worker.kind === 'rules' ? rulesFor(facts.worker.rules, tool) : none
  return {
    tool: tool.name,
    agent: facts.agent === undefined ? none : rulesFor(facts.agent.rules, tool),
    operator: rulesFor(facts.operator.rules, tool),
    ...withGrants(split(worker), facts.grants, tool),
    damaged: damagedReason(facts),
    doubted: failedExampleReason(facts),
    off: allowsEverything(facts.worker),
    witness: facts.witness,
  }
}

/** PERF-01: drops the rules that cannot match a text with these first words. */
export function narrowToText(rules: ToolRules, words: readonly string[]): ToolRules {
  return narrowed(rules, (list) => rulesForText(list, words))
}

/** PERF-01: drops the rules that cannot match a path with these names between its slashes. */
export function narrowToPath(rules: ToolRules, names: readonly string[]): ToolRules {
  return narrowed(rules, (list) => rulesForPath(list, names))
}

function narrowed(rules: ToolRules, narrow: (list: readonly Rule[]) => readonly Rule[]): ToolRules {
  return {
    ...rules,
    agent: narrow(rules.agent),
    operator: narrow(rules.operator),
    file: narrow(rules.file),
    grants: narrow(rules.grants),
  }
}

interface SessionRules {
  readonly counted: readonly Rule[]
  readonly uncounted: readonly Rule[]
}

const rememberedGrants = new WeakMap<readonly Grant[], SessionRules>()

/** Cached: a call is evaluated by the rules of several tools. */
function sessionRules(grants: readonly Grant[]): SessionRules {
  const rules = (isCounted: boolean) =>
    grants
      .filter(({ usesLeft }) => (usesLeft != null) === isCounted)
      .map((grant) => createRule({ layer: 'session', action: 'allow', ...grant }))
  const known = rememberedGrants.get(grants) ?? { counted: rules(true), uncounted: rules(false) }
  rememberedGrants.set(grants, known)
  return known
}

interface Split {
  readonly file: readonly Rule[]
  readonly grants: readonly Rule[]
}

const remembered = new WeakMap<readonly Rule[], Split>()

/** Appends grants, since the last match counts; a grant with limited uses applies only if no other one does. */
function withGrants(known: Split, grants: readonly Grant[], tool: NamedTool): Split {
  if (grants.length === 0) return known
  const { counted, uncounted } = sessionRules(grants)
  return {
    ...known,
    grants: [...rulesFor(counted, tool), ...known.grants, ...rulesFor(uncounted, tool)],
  }
}

/** Cached by list of rules. */
function split(worker: readonly Rule[]): Split {
  const known = remembered.get(worker) ?? {
    file: worker.filter((rule) => !rule.grant),
    grants: worker.filter((rule) => rule.grant),
  }
  remembered.set(worker, known)
  return known
}

/** Whether any deny rule matches; if not, the call cannot be denied. */
export function mayDeny(rules: ToolRules, matches: (rule: Rule) => boolean): boolean {
  const { agent, operator, file } = rules
  return hasDeny(agent, matches) || hasDeny(operator, matches) || hasDeny(file, matches)
}

/** The same for a path with these names between its slashes. */
export function mayDenyPath(
  rules: ToolRules,
  names: readonly string[],
  matches: (rule: Rule) => boolean,
): boolean {
  return (
    hasDeny(rulesForPath(rules.agent, names), matches) ||
    hasDeny(rulesForPath(rules.operator, names), matches) ||
    hasDeny(rulesForPath(rules.file, names), matches)
  )
}

/** Called for every word of a command: a plain loop avoids allocations. */
function hasDeny(layer: readonly Rule[], matches: (rule: Rule) => boolean): boolean {
  for (const rule of layer) if (rule.action === 'deny' && matches(rule)) return true
  return false
}

/**
 * GATE-02: first the deny rules of agent and operator, then the worker's file, whose deny is final too; then all layers joined,
 * where the last match wins; last the grants, which turn ask into allow if they override every rule that asks.
 */
export function evaluate(
  rules: ToolRules,
  matches: (rule: Rule) => boolean,
  judged: EvaluationTarget,
): Decision {
  const decision = decide(rules, matches, judged)
  rules.witness?.({ tool: rules.tool, about: judged.about, rules, matches, decision })
  return decision
}

function decide(
  rules: ToolRules,
  matches: (rule: Rule) => boolean,
  judged: EvaluationTarget,
): Decision {
  for (const layer of [rules.agent, rules.operator]) {
    const rule = layer.findLast(matches)
    if (rule?.action === 'deny') return { action: 'deny', rule, by: 'veto' }
  }
  if (rules.damaged !== undefined) return { action: 'ask', why: rules.damaged, by: 'damaged' }
  if (rules.off) return { action: 'allow', why: 'the gate is switched off', by: 'off' }
  const own = rules.file.findLast(matches)
  if (own?.action === 'deny') return { action: 'deny', rule: own, by: 'file' }
  if (rules.doubted !== undefined) return { action: 'ask', why: rules.doubted, by: 'doubted' }
  const rule = lastJoined(rules, own, matches)
  if (rule?.action === 'deny' || rule?.action === 'allow') {
    return { action: rule.action, rule, by: 'last' }
  }
  const questions = raisedQuestions(rules, matches, judged)
  const met = questions.map(({ name }) => name)
  const grant = rules.grants.findLast((one) => matches(one) && overridesAll(one, questions))
  if (grant !== undefined) return { action: 'allow', rule: grant, by: 'grant', met }
  if (rule !== undefined) return { action: 'ask', rule, by: 'last', met }
  return { action: 'ask', why: 'no rule matches', by: 'none', met }
}

/** GATE-09: the card shows the operator which line is invalid. */
function damagedReason({ worker }: GateFacts): string | undefined {
  if (worker.kind === 'rules') return undefined
  const [first] = worker.problems
  const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`
  return `the permissions file is damaged${where}, so everything asks`
}

/** APPR-21: while an example fails, the rules allow nothing; their denials stay. */
function failedExampleReason({ worker }: GateFacts): string | undefined {
  const [first] = worker.kind === 'rules' ? (worker.failed ?? []) : []
  if (first === undefined) return undefined
  return `an example of the permissions file does not hold (line ${first.line}: ${first.message}), so what it does not deny asks`
}

/** A bare `*` of the worker's file does not override a more specific operator rule. */
function lastJoined(
  rules: ToolRules,
  own: Rule | undefined,
  matches: (rule: Rule) => boolean,
): Rule | undefined {
  const operator = rules.operator.findLast(matches)
  const isNamed = operator !== undefined && !operator.matchesAll
  const counts = (rule: Rule): boolean => !(isNamed && rule.matchesAll)
  if (own !== undefined && counts(own)) return own
  return (
    (own && rules.file.findLast((rule) => counts(rule) && matches(rule))) ??
    operator ??
    rules.agent.findLast(matches)
  )
}

/** Whether a layer denies a tool for every input; a later rule that allows or asks leaves some input open. */
export function deniesAll(rules: readonly Rule[]): boolean {
  const last = rules.findLastIndex((rule) => rule.matchesAll)
  return (
    last !== -1 &&
    rules[last]?.action === 'deny' &&
    rules.slice(last).every((rule) => rule.action === 'deny')
  )
}

/** A question raised by a value. */
interface RaisedQuestion {
  /** In the form that grants store. */
  readonly name: string
  /** The rule that asks about the value itself; absent: the question is about the surrounding text or the call's effect. */
  readonly rule?: Rule
}

/**
 * APPR-07: all questions that a value raises: each rule of any layer that asks about it, even if another rule hides it, and the
 * call's effect on it. A bare `*` does not count, since it asks no more than having no rule.
 */
function raisedQuestions(
  { agent, operator, file }: ToolRules,
  matches: (rule: Rule) => boolean,
  { does = [], isDirect = () => true }: EvaluationTarget,
): readonly RaisedQuestion[] {
  const asking = [agent, operator, file].flatMap((layer) =>
    layer.filter((rule) => rule.action === 'ask' && !rule.matchesAll && matches(rule)),
  )
  const questions = asking.map((rule): RaisedQuestion => {
    const name = describeRule(rule)
    return isDirect(rule) ? { name, rule } : { name: `around it, ${name}` }
  })
  return [...questions, ...does.map((name) => ({ name }))]
}

/** Whether a grant overrides all of these questions. */
function overridesAll(grant: Rule, questions: readonly RaisedQuestion[]): boolean {
  const { beats } = grant
  return questions.every(({ name, rule }) =>
    beats === undefined ? rule !== undefined && coversGrant(rule, grant) : beats.includes(name),
  )
}

/** Whether a rule asks about everything that a grant's pattern covers, so that the granted call has raised it. */
function coversGrant(rule: Rule, grant: Rule): boolean {
  const { tokens, literal } = grant.text
  const args = argumentsIn(grant)
  if (args !== undefined) return argumentMatcher(args)(rule) !== 'no'
  if (takesPaths(grant.tool)) return literal !== undefined && rule.glob(literal)
  if (literal !== undefined) return matchesText(rule, literal)
  return sampleExpansions.every((filling) => {
    const text = tokens
      .map((token) => (typeof token === 'number' ? String.fromCharCode(token) : filling))
      .join('')
    return matchesText(rule, text)
  })
}

/** MCP-03: the arguments that a grant of exactly one call holds for. */
function argumentsIn({ tool, pattern }: Rule): Readonly<Record<string, unknown>> | undefined {
  if (findTool(tool) !== undefined || !pattern.startsWith('{')) return undefined
  const args = tryParseJson(pattern.replace(/ @[0-9a-f]+$/, ''))
  return isRecord(args) ? args : undefined
}
