import type { Action } from '../../../domain/verdict.ts'
import { fold } from '../../../shared/fold.ts'
import { createPathRule, type PathRule } from '../../../shared/paths/path-rule.ts'
import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import { findTool, toToolName } from '../../tools/registry.ts'
import { overWords } from './grant-beats.ts'

export type LayerName = 'agent' | 'operator' | 'worker' | 'session'

/** One line of a permission layer, ready for matching. */
export interface Rule extends PathRule {
  readonly layer: LayerName
  /** The tool it speaks of, by our name; `*` for every tool. */
  readonly tool: string
  /** Whether *Always* wrote it: it turns ask into allow, never deny into allow. */
  readonly grant: boolean
  /** For commands, URLs and names. */
  readonly text: Wildcard
  /** The one text a pattern without wildcards stands for. */
  readonly literal: string | undefined
  /** Of the grant that it is, where that is one of a session. */
  readonly grantId: string | undefined
  /** Of a grant: the questions that it wins over, as `Grant` has them. */
  readonly beats: readonly string[] | undefined
}

/** GATE-02: rules in the gate's order, the last match wins. */
export interface RuleLayer {
  readonly rules: readonly Rule[]
}

/** A worker's `permissions.jsonc`, parsed; `damaged` makes all its calls ask (GATE-09). */
export type WorkerRules =
  | {
      readonly kind: 'rules'
      readonly rules: readonly Rule[]
      /** What the file's comments say of its rules (APPR-21). */
      readonly examples?: readonly RuleExample[]
      /** Examples that do not hold: while there is one, whatever the file does not deny asks. */
      readonly failed?: readonly RuleProblem[]
      /** What is no mistake, and most likely not meant so. */
      readonly notes?: readonly RuleProblem[]
    }
  | { readonly kind: 'damaged'; readonly problems: readonly RuleProblem[] }

/** What is wrong with a rules file; lines count from 1, 0 where there is no line to name. */
export interface RuleProblem {
  readonly line: number
  readonly message: string
}

/** APPR-21: what a comment of a rules file says of the rule it stands at, or of all rules together. */
export interface RuleExample {
  readonly line: number
  /** A command, path, URL or name. */
  readonly text: string
  /** By the name that the file uses. */
  readonly tool: string
  readonly claim:
    | { readonly kind: 'match' | 'no match'; readonly rule: Rule }
    | { readonly kind: 'verdict'; readonly action: Action }
}

/** A rule that *Always* made for a caller's session. */
export interface Grant {
  readonly tool: string
  readonly pattern: string
  /** By which a verdict says that it decided. */
  readonly id?: string
  /** APPR-15: null or absent: as many as one likes. Such a grant decides only where no other does. */
  readonly usesLeft?: number | null
  /**
   * APPR-07: the questions that the call met for which it was given, each as `describeRule` names its rule. It wins over these and
   * over a bare `*`. Null or absent: not stored; then only over rules that ask about all that its pattern stands for.
   */
  readonly beats?: readonly string[] | null
}

export interface RuleText {
  readonly layer: LayerName
  readonly tool: string
  readonly pattern: string
  readonly action: Action
  readonly grant?: boolean
  readonly id?: string
  readonly beats?: readonly string[] | null | undefined
}

export function createRule(text: RuleText): Rule {
  const { layer, pattern, action } = text
  const foldsCase = layer === 'operator'
  return {
    ...createPathRule(pattern, action, foldsCase),
    layer,
    tool: toToolName(text.tool),
    grant: text.grant === true || layer === 'session',
    text: toWildcard(foldsCase ? fold(pattern) : pattern),
    literal: toWildcard(pattern).literal,
    grantId: text.id,
    beats: text.beats ?? undefined,
  }
}

/** The rules that speak of a tool, in their order; remembered as long as the list of rules lives. */
export function rulesFor(rules: readonly Rule[], tool: string): readonly Rule[] {
  const byTool = remembered.get(rules) ?? new Map<string, readonly Rule[]>()
  remembered.set(rules, byTool)
  const known = byTool.get(tool)
  if (known !== undefined) return known
  const names = [tool, findTool(tool)?.ruledAs ?? tool]
  const speaksOf = (rule: Rule, name: string) => {
    if (rule.grant) return rule.tool === tool
    return rule.tool === name || matchesToolName(rule, name)
  }
  const found = rules.filter(
    (rule) => rule.tool === '*' || names.some((name) => speaksOf(rule, name)),
  )
  byTool.set(tool, found)
  return found
}

const remembered = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>()

/** Whether a rule's pattern fits a command, URL or name. */
export function matchesText(rule: Rule, value: string): boolean {
  return rule.matchesAll || matchesWildcard(rule.text, rule.foldsCase ? fold(value) : value)
}

/** A rule as the trace shows it, and as grants store the questions that they win over. */
export function describeRule(rule: Rule): string {
  const beats = rule.layer === 'session' && rule.beats !== undefined ? overWords(rule.beats) : ''
  return `${rule.layer}: ${rule.tool} ${JSON.stringify(rule.pattern)} ${rule.action}${beats}`
}

function matchesToolName(rule: Rule, tool: string): boolean {
  return /[*?]/.test(rule.tool) && matchesWildcard(toWildcard(rule.tool), tool)
}
