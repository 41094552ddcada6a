import type { Action } from '../../../domain/verdict.ts'
import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/wildcard-match.ts'
import { isLiteralGlob, type PathGlob, toPathGlob } from '../match/path-glob.ts'
import { toToolName } from './tool-name.ts'

export type LayerName = 'agent' | 'operator' | 'worker' | 'session'

/** One line of a permission layer, ready for matching. */
export interface Rule {
  readonly layer: LayerName
  /** The tool it speaks of, by our name; `*` for every tool. */
  readonly tool: string
  readonly pattern: string
  readonly action: Action
  /** Whether *Always* wrote it: it turns ask into allow, never deny into allow. */
  readonly grant: boolean
  /** GATE-03: the operator's patterns do not care for upper and lower case. */
  readonly foldsCase: boolean
  /** For commands, URLs and names. */
  readonly text: Wildcard
  readonly glob: PathGlob
  readonly foldedGlob: PathGlob
  /** Whether it matches any value at all. */
  readonly matchesAll: boolean
  readonly isLiteral: boolean
  /** The one text a pattern without wildcards stands for. */
  readonly literal: string | undefined
}

/** GATE-02: rules in the gate's order, the last match wins. */
export interface RuleLayer {
  readonly rules: readonly Rule[]
}

/** A worker's `permissions.jsonc`, parsed; `damaged` makes all its calls ask (GATE-09). */
export type WorkerRules =
  | { readonly kind: 'rules'; readonly rules: readonly Rule[] }
  | { readonly kind: 'damaged'; readonly problems: readonly RuleProblem[] }

/** What is wrong with a rules file; lines count from 1, 0 where there is no line to name. */
export interface RuleProblem {
  readonly line: number
  readonly message: string
}

/** A rule that *Always* made for a caller's session. */
export interface Grant {
  readonly tool: string
  readonly pattern: string
}

export interface RuleText {
  readonly layer: LayerName
  readonly tool: string
  readonly pattern: string
  readonly action: Action
  readonly grant?: boolean
}

export function createRule(text: RuleText): Rule {
  const { layer, pattern, action } = text
  const foldsCase = layer === 'operator'
  const matchesAll = /^\*+$/.test(pattern)
  return {
    layer,
    tool: toToolName(text.tool),
    pattern,
    action,
    grant: text.grant === true || layer === 'session',
    foldsCase,
    text: toWildcard(foldsCase ? fold(pattern) : pattern),
    glob: toPathGlob(withoutDot(pattern)),
    foldedGlob: toPathGlob(fold(withoutDot(pattern))),
    matchesAll,
    isLiteral: isLiteralGlob(pattern),
    literal: toWildcard(pattern).literal,
  }
}

/** The rules that speak of a tool, in their order; remembered as long as the list of rules lives. */
export function rulesFor(rules: readonly Rule[], tool: string): readonly Rule[] {
  const byTool = remembered.get(rules) ?? new Map<string, readonly Rule[]>()
  remembered.set(rules, byTool)
  const known = byTool.get(tool)
  if (known !== undefined) return known
  const found = rules.filter(
    (rule) => rule.tool === tool || rule.tool === '*' || matchesToolName(rule, tool),
  )
  byTool.set(tool, found)
  return found
}

const remembered = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>()

/** Whether a rule's pattern fits a command, URL or name. */
export function matchesText(rule: Rule, value: string): boolean {
  return rule.matchesAll || matchesWildcard(rule.text, rule.foldsCase ? fold(value) : value)
}

/** A rule as the trace shows it. */
export function describeRule(rule: Rule): string {
  return `${rule.layer}: ${rule.tool} ${JSON.stringify(rule.pattern)} ${rule.action}`
}

export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function matchesToolName(rule: Rule, tool: string): boolean {
  return rule.tool.includes('*') && matchesWildcard(toWildcard(rule.tool), tool)
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') && pattern.length > 2 ? pattern.slice(2) : pattern
}
