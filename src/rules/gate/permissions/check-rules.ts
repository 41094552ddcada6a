import { allowsEverything } from './allows-everything.ts'
import { readPermissions } from './read-permissions.ts'
import type { RuleProblem } from './rule.ts'

/** What there is to say of a text of rules. */
export interface CheckedRules {
  readonly rules: number
  /** With one of them, no rule of the text counts: every call asks (GATE-09). */
  readonly problems: readonly RuleProblem[]
  /** Examples that do not hold: with one of them, whatever the text does not deny asks (APPR-21). */
  readonly failed: readonly RuleProblem[]
  /** What is most likely not meant so, and changes nothing. */
  readonly notes: readonly RuleProblem[]
  /** GATE-10: the gate is switched off. */
  readonly allowsEverything: boolean
}

/** Where tools most often see the workspace: what `~/` means, and where the examples' relative paths start. */
export const usualWorkspace = '/workspace'

/** Parses a text of rules and tries its examples. */
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
