import type { Risk } from './risk.ts'

/** GATE-01: `allow` runs silently, `ask` needs a person, `deny` returns an error and prompts nobody. */
export type Action = 'allow' | 'ask' | 'deny'

/** One check that spoke: its name, what it said, and why in words a person can read. */
export interface TraceEntry {
  readonly check: string
  readonly action: Action
  readonly reason: string
  /** The rule that decided, as `layer: tool "pattern" action`, where a rule did. */
  readonly rule?: string
}

/** What the gate says of one tool call. */
export interface Verdict {
  readonly action: Action
  /** What rules were matched against: paths, sub-commands, URL and host (GATE-06). */
  readonly patterns: readonly string[]
  /** What *Always* would add as allow rules of the call's tool; empty when it may not be offered (APPR-23). */
  readonly alwaysPatterns: readonly string[]
  /**
   * APPR-07: for each of them the questions of this call that a grant would win over, as grants store them; left out where there
   * are none.
   */
  readonly alwaysBeats?: Readonly<Record<string, readonly string[]>>
  /** Why it is not a plain allow, one sentence each; empty for allow. */
  readonly reasons: readonly string[]
  readonly trace: readonly TraceEntry[]
  readonly risk: Risk
  /** APPR-24: files of the workspace that a command runs, absolute in the box; left out where there are none. */
  readonly programs?: readonly string[]
  /** APPR-24: what it executes and cannot be bound to the question, one sentence each; left out where there is nothing. */
  readonly unbound?: readonly string[]
  /** POL-05: it has to be reviewed, and nobody is asked and nothing runs before that; absent: it has not to. */
  readonly unreviewed?: true
  /** APPR-21: what the shadow rules say, where that is another action, and why. It has no effect. */
  readonly shadow?: { readonly action: Action; readonly why: string }
  /** APPR-15: ids of the session's grants without which it would not be `allow`; absent: none. */
  readonly grants?: readonly string[]
}
