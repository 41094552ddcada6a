import { allowsEverything } from './allows-everything.ts'
import { readPermissions } from './read-permissions.ts'
import type { RuleProblem } from './rule.ts'

/** The result of checking a rules text. */
export interface CheckedRules {
  readonly rules: number
  /** If there are any, no rule of the text applies: every call asks (GATE-09). */
  readonly problems: readonly RuleProblem[]
  /** Failed examples; if there are any, calls that are not denied ask (APPR-21). */
  readonly failed: readonly RuleProblem[]
  /** Probable mistakes, without effect. */
  readonly notes: readonly RuleProblem[]
  /** GATE-10: the gate is switched off. */
  readonly allowsEverything: boolean
}

/** The usual workspace path in tools: the meaning of `~/`, and the base of relative paths in examples. */
export const usualWorkspace = '/workspace'

/** Parses a rules text and runs its examples. */
export function checkRules(text: string): CheckedRules {
  const parsed = readPermissions(text, { home: usualWorkspace })
  const isRules = parsed.kind === 'rules'
  return {
    rules: isRules ? parsed.rules.length : 0,
    problems: isRules ? [] : parsed.problems,
    failed: isRules ? (parsed.failed ?? []) : [],
    notes: isRules ? (parsed.notes ?? []) : [],
    allowsEverything: allowsEverything(parsed),
  }
}
