import type { Effect } from './effect.ts'

/** GATE-01: `allow` runs silently, `ask` needs a person, `deny` returns an error without asking. */
export type Action = 'allow' | 'ask' | 'deny'

/** Why a call asks, where that is no consequence of it: for its card, in the reader's language. */
export interface Asking {
  /**
   * `undecided`: the arguments do not tell whether a rule applies; `person`: the tool requires one for each call; `other`: `about`
   * is a sentence.
   */
  readonly why: 'rule' | 'none' | 'unconfined' | 'undecided' | 'person' | 'other'
  /** The tool, and the part of the call that it concerns: `bash "git push"`. */
  readonly about: string
  /** Of the rule. */
  readonly layer?: 'agent' | 'operator' | 'worker' | 'session'
}

/** Result of one check, with a reason that people can read. */
export interface TraceEntry {
  readonly check: string
  readonly action: Action
  readonly reason: string
  /** Deciding rule, if any, as `layer: tool "pattern" action`. */
  readonly rule?: string
}

/** Verdict of the gate on one tool call. */
export interface Verdict {
  readonly action: Action
  /** Values that rules were matched against: paths, sub-commands, URL and host (GATE-06). */
  readonly patterns: readonly string[]
  /** Patterns that *Always* would add as allow rules of the tool; empty if *Always* may not be offered (APPR-23). */
  readonly alwaysPatterns: readonly string[]
  /**
   * APPR-07: ask rules of this call that a grant would override, by pattern, in the form in which grants store them;
   * absent if there are none.
   */
  readonly alwaysBeats?: Readonly<Record<string, readonly string[]>>
  /** Reasons why the call is not simply allowed, one sentence each; empty for `allow`. */
  readonly reasons: readonly string[]
  /** CARD-01: consequences and hazards of the call, for its card; absent unless the call asks. */
  readonly effects?: readonly Effect[]
  /** What of `reasons` is no effect; absent unless the call asks. */
  readonly asks?: readonly Asking[]
  readonly trace: readonly TraceEntry[]
  readonly risk: Risk
  /** APPR-24: workspace files that the command executes, absolute in the box; absent if none. */
  readonly programs?: readonly string[]
  /** APPR-24: executed parts that cannot be bound to the approval, one sentence each; absent if none. */
  readonly unbound?: readonly string[]
  /** POL-05: the call needs a review before anyone is asked and before it runs. */
  readonly unreviewed?: true
  /** APPR-21: verdict of the shadow rules if it differs, and why. It has no effect. */
  readonly shadow?: { readonly action: Action; readonly why: string }
  /** APPR-15: ids of the session grants that the `allow` depends on; absent if none. */
  readonly grants?: readonly string[]
}

/**
 * Risk tier that decides who may approve (APPR-17). low: reads, and writes in the workspace; medium: commands, and
 * tools whose arguments do not show their effect; high: hazards of shell commands, deletion, network access, and
 * paths outside the workspace.
 */
export type Risk = 'low' | 'medium' | 'high'
