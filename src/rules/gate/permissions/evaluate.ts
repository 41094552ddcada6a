import type { Action } from '../../../domain/verdict.ts'
import type { GateFacts } from '../gate-facts.ts'
import { allowsEverything } from './allows-everything.ts'
import { createRule, type Rule, rulesFor } from './rule.ts'

/** What the permission layers say of one value. */
export interface Decision {
  readonly action: Action
  readonly rule?: Rule
  /** In words, for what no rule decided. */
  readonly why?: string
}

/** The rules of all layers that speak of one tool, made once a call. */
export interface ToolRules {
  readonly agent: readonly Rule[]
  readonly operator: readonly Rule[]
  /** The worker's file without what *Always* wrote into it. */
  readonly file: readonly Rule[]
  readonly grants: readonly Rule[]
  /** What is wrong with the worker's file, where something is. */
  readonly damaged: string | undefined
  readonly off: boolean
}

const none: readonly Rule[] = []

export function toToolRules(facts: GateFacts, tool: string): ToolRules {
  const worker = facts.worker.kind === 'rules' ? rulesFor(facts.worker.rules, tool) : none
  const session = facts.grants.map((grant) =>
    createRule({ layer: 'session', action: 'allow', ...grant }),
  )
  return {
    agent: facts.agent === undefined ? none : rulesFor(facts.agent.rules, tool),
    operator: rulesFor(facts.operator.rules, tool),
    ...split(worker, session.length === 0 ? none : rulesFor(session, tool)),
    damaged: damageOf(facts),
    off: allowsEverything(facts.worker),
  }
}

interface Split {
  readonly file: readonly Rule[]
  readonly grants: readonly Rule[]
}

const remembered = new WeakMap<readonly Rule[], Split>()

/** Told apart once for each list of rules. */
function split(worker: readonly Rule[], session: readonly Rule[]): Split {
  const known = remembered.get(worker) ?? {
    file: worker.filter((rule) => !rule.grant),
    grants: worker.filter((rule) => rule.grant),
  }
  remembered.set(worker, known)
  return session.length === 0 ? known : { ...known, grants: [...known.grants, ...session] }
}

/** The rules that could deny: where none of them matches, nothing is denied. */
export function denialsOf(rules: ToolRules): readonly Rule[] {
  return [rules.agent, rules.operator, rules.file].flatMap((layer) =>
    layer.filter((rule) => rule.action === 'deny'),
  )
}

/**
 * GATE-02: vetoes of agent and operator, then the worker's file alone, whose deny is final too; then all layers
 * joined, where the last match wins; last the grants, which turn ask into allow.
 */
export function evaluate(rules: ToolRules, matches: (rule: Rule) => boolean): Decision {
  for (const layer of [rules.agent, rules.operator]) {
    const rule = layer.findLast(matches)
    if (rule?.action === 'deny') return { action: 'deny', rule }
  }
  if (rules.damaged !== undefined) return { action: 'ask', why: rules.damaged }
  if (rules.off) return { action: 'allow', why: 'the gate is switched off' }
  const own = rules.file.findLast(matches)
  if (own?.action === 'deny') return { action: 'deny', rule: own }
  const rule = lastJoined(rules, own, matches)
  if (rule?.action === 'deny' || rule?.action === 'allow') return { action: rule.action, rule }
  const grant = rules.grants.findLast(matches)
  if (grant !== undefined) return { action: 'allow', rule: grant }
  return rule === undefined ? { action: 'ask', why: 'no rule matches' } : { action: 'ask', rule }
}

/** GATE-09: the operator reads on the card which line is wrong. */
function damageOf({ worker }: GateFacts): string | undefined {
  if (worker.kind === 'rules') return undefined
  const [first] = worker.problems
  const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`
  return `the permissions file is damaged${where}, so everything asks`
}

/** A bare `*` of the worker's file does not override an operator rule that named more. */
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

/** Whether a layer denies a tool for every input: a later rule that says otherwise leaves some input open. */
export function deniesAll(rules: readonly Rule[]): boolean {
  const last = rules.findLastIndex((rule) => rule.matchesAll)
  return (
    last !== -1 &&
    rules[last]?.action === 'deny' &&
    rules.slice(last).every((rule) => rule.action === 'deny')
  )
}
