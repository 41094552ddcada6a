import type { Action } from '../../../domain/verdict.ts'
import type { Rule } from './rule.ts'

/** What the permission layers say of one value. */
export interface Decision {
  readonly action: Action
  readonly rule?: Rule
  /** In words, for what no rule decided. */
  readonly why?: string
  /** Which step of GATE-02 spoke. */
  readonly by: 'veto' | 'damaged' | 'doubted' | 'off' | 'file' | 'last' | 'grant' | 'none'
  /** APPR-07: the questions that a grant for this value has to win over, where no rule allows or denies it. */
  readonly met?: readonly string[]
}

/** What is judged, beside the rules. */
export interface Judged {
  /** In words. */
  readonly about: string
  /** What it does beyond its text, such as writing a path; a grant wins over it only where its own call did it too. */
  readonly does?: readonly string[]
  /** Whether a rule speaks of the value itself and not only of the text around it; absent: every one does. */
  readonly isDirect?: (rule: Rule) => boolean
}

/** One evaluation as somebody may want to look at it: which of these rules match can be asked of them. */
export interface Evaluation {
  readonly tool: string
  readonly about: string
  readonly rules: ToolRules
  readonly matches: (rule: Rule) => boolean
  readonly decision: Decision
}

/** Told of every evaluation while a call is judged; it changes nothing. */
export type Witness = (evaluation: Evaluation) => void

/** The rules of all layers that speak of one tool, made once a call. */
export interface ToolRules {
  readonly tool: string
  readonly agent: readonly Rule[]
  readonly operator: readonly Rule[]
  /** The worker's file without what *Always* wrote into it. */
  readonly file: readonly Rule[]
  readonly grants: readonly Rule[]
  /** What is wrong with the worker's file, where something is. */
  readonly damaged: string | undefined
  /** Which of the file's examples does not hold, where one does not. */
  readonly doubted: string | undefined
  readonly off: boolean
  readonly witness: Witness | undefined
}
