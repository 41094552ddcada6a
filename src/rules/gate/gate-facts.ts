import type { ToolSpec } from '../tools/tool-spec.ts'
import type { WebRules } from '../web/check-url.ts'
import type { Grant, RuleLayer, WorkerRules } from './permissions/rule.ts'

/** One tool call as the gate sees it; its arguments fit the tool's schema already. */
export interface GateCall {
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** Canonical paths the executor reported (GATE-07), absolute in the box. */
  readonly canonical?: readonly string[]
}

/** Everything the gate decides on. All paths are absolute, as the box sees them. */
export interface GateFacts {
  /** Subagents only. */
  readonly agent?: RuleLayer
  readonly operator: RuleLayer
  readonly worker: WorkerRules
  /** What this caller answered *Always* to in this session. */
  readonly grants: readonly Grant[]
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
  readonly web: WebRules
}
