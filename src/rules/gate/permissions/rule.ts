import { z } from 'zod'
import type { Action } from '../../../domain/verdict.ts'
import { fold } from '../../../shared/fold.ts'
import { createPathRule, type PathRule } from '../../../shared/paths/path-rule.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import { type NamedTool, namesTool } from '../../tools/mcp-names.ts'
import { findTool, toToolName } from '../../tools/registry.ts'

const opening = ' over ['

const stored = z.array(z.string())

export type LayerName = 'agent' | 'operator' | 'worker' | 'session'

/** A rule of a permission layer, ready for matching. */
export interface Rule extends PathRule {
  readonly layer: LayerName
  /** The tool's own name; `*` for all tools. */
  readonly tool: string
  /** Written by *Always*: turns ask into allow, never deny into allow. */
  readonly grant: boolean
  /** For commands, URLs and names. */
  readonly text: Wildcard
  /** The only text that a pattern without wildcards matches. */
  readonly literal: string | undefined
  /** The id of the session grant that it represents, if any. */
  readonly grantId: string | undefined
  /** For a grant: the questions that it overrides, as in `Grant`. */
  readonly beats: readonly string[] | undefined
}

/** GATE-02: rules in the gate's order, the last match wins. */
export interface RuleLayer {
  readonly rules: readonly Rule[]
}

/** A worker's parsed `permissions.jsonc`; `damaged` makes all of its calls ask (GATE-09). */
export type WorkerRules =
  | {
      readonly kind: 'rules'
      readonly rules: readonly Rule[]
      /** The examples in the file's comments (APPR-21). */
      readonly examples?: readonly RuleExample[]
      /** Failed examples: while there is one, calls that the file does not deny ask. */
      readonly failed?: readonly RuleProblem[]
      /** Probable mistakes, without effect. */
      readonly notes?: readonly RuleProblem[]
    }
  | { readonly kind: 'damaged'; readonly problems: readonly RuleProblem[] }

/** A problem in a rules file; lines count from 1, 0 if there is no line to name. */
export interface RuleProblem {
  readonly line: number
  readonly message: string
}

/** APPR-21: an example in a rules file's comments, for the next rule or for all rules together. */
export interface RuleExample {
  readonly line: number
  /** A command, path, URL or name. */
  readonly text: string
  /** By the name used in the file. */
  readonly tool: string
  readonly claim:
    | { readonly kind: 'match' | 'no match'; readonly rule: Rule }
    | { readonly kind: 'verdict'; readonly action: Action }
}

/** A grant by *Always* for a caller's session. */
export interface Grant {
  readonly tool: string
  readonly pattern: string
  /** Identifies the grant in a verdict. */
  readonly id?: string
  /** APPR-15: null or absent: unlimited. A limited grant decides only if no other one does. */
  readonly usesLeft?: number | null
  /**
   * APPR-07: the questions raised by the call it was granted for, each as `describeRule` names its rule. It overrides these and a
   * bare `*`. Null or absent: not stored; then it overrides only rules that ask about everything its pattern covers.
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

/** The rules for a tool in order; cached by the list of rules. */
export function rulesFor(rules: readonly Rule[], tool: NamedTool): readonly Rule[] {
  const { name, origin } = tool
  const key = origin === undefined ? name : JSON.stringify([name, origin.server, origin.tool])
  const byTool = remembered.get(rules) ?? new Map<string, readonly Rule[]>()
  remembered.set(rules, byTool)
  const known = byTool.get(key)
  if (known !== undefined) return known
  const ruledAs = findTool(name)?.ruledAs
  const found = rules.filter((rule) => {
    if (rule.tool === '*') return true
    if (rule.grant) return rule.tool === name
    return (
      namesTool(rule.tool, tool, rule.action) ||
      (ruledAs !== undefined && namesTool(rule.tool, { name: ruledAs }, rule.action))
    )
  })
  byTool.set(key, found)
  return found
}

const remembered = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>()

/** Whether a rule's pattern matches a command, URL or name. */
export function matchesText(rule: Rule, value: string): boolean {
  return rule.matchesAll || matchesWildcard(rule.text, rule.foldsCase ? fold(value) : value)
}

/** A rule in the form shown in the trace, and stored by grants as a question. */
export function describeRule(rule: Rule): string {
  const beats = rule.layer === 'session' && rule.beats !== undefined ? formatBeats(rule.beats) : ''
  return `${rule.layer}: ${rule.tool} ${JSON.stringify(rule.pattern)} ${rule.action}${beats}`
}

/** The questions that a grant overrides, as written in its comment and the trace: JSON in one line of plain characters. */
export function formatBeats(beats: readonly string[]): string {
  const json = JSON.stringify(beats).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
  return ` over ${json}`
}

/** Parses these questions at the end of a text. Without them `beats` is undefined; a damaged list names no question. */
export function splitBeats(text: string): {
  readonly text: string
  readonly beats: readonly string[] | undefined
} {
  const at = text.indexOf(opening)
  if (at === -1) return { text, beats: undefined }
  const read = stored.safeParse(tryParseJson(text.slice(at + opening.length - 1)))
  return { text: text.slice(0, at), beats: read.success ? read.data : [] }
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
}
