import type { Action } from '../../../domain/verdict.ts'
import { bashTool } from '../../tools/bash.ts'
import { patternProblem } from './parse-permissions.ts'
import { createRule, type Rule, type RuleLayer, type RuleProblem } from './rule.ts'

/** The part of the `[tools]` section that the gate needs. */
export interface OperatorTools {
  readonly permissions: Readonly<
    Record<string, readonly { readonly pattern: string; readonly action: Action }[]>
  >
  readonly shell: {
    readonly blocked_commands: readonly string[]
    readonly confirm_patterns: readonly string[]
  }
}

export type OperatorLayer =
  | { readonly kind: 'layer'; readonly layer: RuleLayer }
  | { readonly kind: 'damaged'; readonly problems: readonly RuleProblem[] }

/**
 * GATE-03: the operator's rules in the gate's order, where the last match wins; in a table of the configuration the first one
 * does. Without the section, the two lists of `[tools.shell]` become deny and ask rules.
 */
export function operatorLayer(tools: OperatorTools, hasPermissionsSection: boolean): OperatorLayer {
  const rules = hasPermissionsSection ? fromTables(tools.permissions) : fromShell(tools.shell)
  const problems = rules.flatMap(({ tool, pattern }) => {
    const problem = patternProblem(tool, pattern)
    return problem === undefined
      ? []
      : [{ line: 0, message: `[tools.permissions.${tool}] ${JSON.stringify(pattern)}: ${problem}` }]
  })
  if (problems.length > 0) return { kind: 'damaged', problems }
  return { kind: 'layer', layer: { rules } }
}

/** A subagent's deny rules in the gate's order. */
export function agentLayer(
  tables: Readonly<
    Record<string, readonly { readonly pattern: string; readonly action: Action }[]>
  >,
): RuleLayer {
  return {
    rules: Object.entries(tables).flatMap(([tool, rules]) =>
      rules.map(({ pattern, action }) => createRule({ layer: 'agent', tool, pattern, action })),
    ),
  }
}

function fromTables(tables: OperatorTools['permissions']): Rule[] {
  return Object.entries(tables).flatMap(([tool, rules]) =>
    rules
      .toReversed()
      .map(({ pattern, action }) => createRule({ layer: 'operator', tool, pattern, action })),
  )
}

function fromShell(shell: OperatorTools['shell']): Rule[] {
  return [
    ...shell.confirm_patterns.flatMap(anywhere).map((pattern) => bashRule(pattern, 'ask')),
    ...shell.blocked_commands.map((text) => bashRule(command(text), 'deny')),
  ]
}

function bashRule(pattern: string, action: Action): Rule {
  return createRule({ layer: 'operator', tool: bashTool.name, pattern, action })
}

/** Text to confirm matches anywhere; a single word only as a whole word. */
function anywhere(text: string): string[] {
  const trimmed = text.trim()
  if (hasWildcard(trimmed)) return [trimmed]
  return /^[\w./-]+$/.test(trimmed) ? [`${trimmed} *`, `* ${trimmed} *`] : [`*${trimmed}*`]
}

/** A blocked command matches with and without further arguments. */
function command(text: string): string {
  return hasWildcard(text) ? text : `${text.trimEnd()} *`
}

function hasWildcard(text: string): boolean {
  return /[*?]/.test(text)
}
