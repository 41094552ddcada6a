import type { z } from 'zod'

/** REG-02: what a client may show as an icon or a spinner. */
export type ToolKind = 'execute' | 'read' | 'edit' | 'search' | 'fetch' | 'other'

/** REG-01: one tool. Everything said of it elsewhere (model schema, catalogue, gate, worker) is derived from this. */
export interface ToolSpec {
  readonly name: string
  /** For the model: what it does, its limits, what comes back. */
  readonly description: string
  readonly kind: ToolKind
  readonly schema: z.ZodObject
  /** May be run again after a crash without harm. */
  readonly idempotent: boolean
  readonly cacheable: boolean
  /** ERR-03: a failure that may pass (rate limit, server, network, time-out) is tried again by the system; for what is idempotent. */
  readonly retryable?: true
  /** May change something: such calls of a session run one at a time, in order (REG-07), at most once. */
  readonly mutating: boolean
  readonly needsNetwork: boolean
  /** In the session's box, in the worker beside it, or on the agent's side inside the turn's transaction. */
  readonly runsIn: 'box' | 'worker' | 'agent'
  /** Starts programs: it goes to the box of commands, which reaches what `[tools.shell] allowed_paths` names (BASH-10). */
  readonly executes?: true
  /** Time limit of one call in milliseconds where the call or the configuration names no other. */
  readonly timeoutMs: number
  /** Set for what only people start: no model is shown it or may call it. */
  readonly isForPeople?: true
}
