import type { ToolTrust } from '../../domain/trust.ts'
import type { DependencyExclusion } from '../tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { WebRules } from '../web/check-url.ts'
import type { Witness } from './permissions/evaluation.ts'
import type { Grant, RuleLayer, WorkerRules } from './permissions/rule.ts'
import type { Policy } from './policy/policy.ts'
import type { Review, ReviewRules } from './review/review.ts'

/** One tool call as the gate sees it; its arguments fit the tool's schema already. */
export interface GateCall {
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** Canonical paths the executor reported (GATE-07), absolute in the box. */
  readonly canonical?: readonly string[]
  /** MODEL-02: a model without native tool calling wrote it as a block in its text. */
  readonly inText?: boolean
  /** POL-05: what the reviewer said of these very arguments; absent: nobody has reviewed them. */
  readonly review?: Review
}

/** Everything the gate decides on. All paths are absolute, as the box sees them. */
export interface GateFacts {
  /** POL-01; absent: none is enabled. */
  readonly policy?: Policy | undefined
  /** Which of the variables that the policy names are set in the agent's environment; never a value. */
  readonly variables?: ReadonlySet<string>
  /** POL-05: how calls are reviewed; absent: they are not. */
  readonly reviews?: ReviewRules | undefined
  /** POL-03; absent: every tool is trusted. */
  readonly trust?: ToolTrust
  /** Subagents only. */
  readonly agent?: RuleLayer
  readonly operator: RuleLayer
  readonly worker: WorkerRules
  /** APPR-21: rules to compare the worker's with. They decide nothing, and `judge` does not look at them. */
  readonly shadow?: WorkerRules
  /** What this caller answered *Always* to in this session. */
  readonly grants: readonly Grant[]
  /** MODEL-02: people have approved a call of this session that was a block in a text. */
  readonly trustsText?: boolean
  /** Also HOME in the box. */
  readonly workspace: string
  /** GATE-12: what no tool reads or changes. */
  readonly protectedPaths: readonly string[]
  /** Where file tools may read and write; empty: the workspace. */
  readonly allowedPaths: readonly string[]
  /** The same for what starts programs (BASH-10). */
  readonly commandPaths: readonly string[]
  /** Globs or places outside that may be read, never written. */
  readonly readablePaths: readonly string[]
  /** False: commands run as ourselves, and no default rule may let one run silently (BOX-01). */
  readonly confined: boolean
  /** BOX-09: the sandbox refuses commands by the look of their words. Absent: it does not. */
  readonly refusesByLook?: boolean
  readonly web: WebRules
  /** Who looks on (APPR-12); no fact, and nothing depends on it. */
  readonly witness?: Witness
  /** APPR-23: tools, or wildcards over their names, that *Always* allows whatever their arguments. */
  readonly alwaysByName?: readonly string[]
  /** SCH-03: tools that a model is not shown yet, by name. */
  readonly unmet?: ReadonlyMap<string, DependencyExclusion>
}
