import type { Action } from '../../../domain/verdict.ts'
import type { Rule } from './rule.ts'

/** The permission layers' decision on one value. */
export interface Decision {
  readonly action: Action
  readonly rule?: Rule
  /** The reason in words, if no rule decided. */
  readonly why?: string
  /** The step of GATE-02 that decided. */
  readonly by: 'veto' | 'damaged' | 'doubted' | 'off' | 'file' | 'last' | 'grant' | 'none'
  /** APPR-07: the questions that a grant for this value must override, if no rule allows or denies it. */
  readonly met?: readonly string[]
}

/** The evaluated value, apart from the rules. */
export interface EvaluationTarget {
  /** In words. */
  readonly about: string
  /** Its effect beyond its text, such as writing a path; a grant overrides it only if the granted call had the same effect. */
  readonly does?: readonly string[]
  /** Whether a rule matches the value itself and not only the surrounding text; absent: all do. */
  readonly isDirect?: (rule: Rule) => boolean
}

/** One evaluation for observers, who can test which rules match. */
export interface Evaluation {
  readonly tool: string
  readonly about: string
  readonly rules: ToolRules
  readonly matches: (rule: Rule) => boolean
  readonly decision: Decision
}

/** Called for every evaluation of a call; has no influence on it. */
export type EvaluationObserver = (evaluation: Evaluation) => void

/** The rules of all layers for one tool, collected once per call. */
export interface ToolRules {
  readonly tool: string
  readonly agent: readonly Rule[]
  readonly operator: readonly Rule[]
  /** The worker's file without rules from *Always*. */
  readonly file: readonly Rule[]
  readonly grants: readonly Rule[]
  /** The problem with the worker's file, if any. */
  readonly damaged: string | undefined
  /** The first failing example of the file, if any. */
  readonly doubted: string | undefined
  readonly off: boolean
  readonly witness: EvaluationObserver | undefined
}
