import type { ToolTrust } from '../../domain/trust.ts'
import type { DependencyExclusion } from '../tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { WebRules } from '../web/check-url.ts'
import type { EvaluationObserver } from './permissions/evaluation.ts'
import type { Grant, RuleLayer, WorkerRules } from './permissions/rule.ts'
import type { Policy } from './policy/policy.ts'
import type { Review, ReviewRules } from './review/review.ts'

/** A tool call as the gate's input; its arguments already match the tool's schema. */
export interface GateCall {
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** Canonical paths reported by the executor (GATE-07), absolute in the box. */
  readonly canonical?: readonly string[]
  /** MODEL-02: written as a block in the text of a model without native tool calls. */
  readonly inText?: boolean
  /** POL-05: the review of exactly these arguments; absent: not reviewed. */
  readonly review?: Review
}

/** All facts that the gate decides on. Paths are absolute, as seen in the box. */
export interface GateFacts {
  /** POL-01; absent: not enabled. */
  readonly policy?: Policy | undefined
  /** The variables named by the policy that are set in the agent's environment; never a value. */
  readonly variables?: ReadonlySet<string>
  /** POL-05: the review settings; absent: calls are not reviewed. */
  readonly reviews?: ReviewRules | undefined
  /** POL-03; absent: all tools are trusted. */
  readonly trust?: ToolTrust
  /** For subagents only. */
  readonly agent?: RuleLayer
  readonly operator: RuleLayer
  readonly worker: WorkerRules
  /** APPR-21: alternative worker rules to compare with. The gate ignores them when it decides. */
  readonly shadow?: WorkerRules
  /** This caller's *Always* grants of the session. */
  readonly grants: readonly Grant[]
  /** MODEL-02: a person has already approved a text-block call in this session. */
  readonly trustsText?: boolean
  /** Also HOME in the box. */
  readonly workspace: string
  /** GATE-12: paths that no tool may read or change. */
  readonly protectedPaths: readonly string[]
  /** Paths that file tools may read and write; empty: the workspace. */
  readonly allowedPaths: readonly string[]
  /** The same for tools that start programs (BASH-10). */
  readonly commandPaths: readonly string[]
  /** Outside paths or globs that may be read, never written. */
  readonly readablePaths: readonly string[]
  /** False: commands run as our own user, and no default rule may let one run silently (BOX-01). */
  readonly confined: boolean
  /** BOX-09: the sandbox refuses commands by their words. Absent: it does not. */
  readonly refusesByLook?: boolean
  readonly web: WebRules
  /** Observes evaluations (APPR-12); decides nothing. */
  readonly witness?: EvaluationObserver
  /** APPR-23: tool names or wildcards that *Always* allows with any arguments. */
  readonly alwaysByName?: readonly string[]
  /** SCH-03: tools not yet shown to the model, by name. */
  readonly unmet?: ReadonlyMap<string, DependencyExclusion>
}
