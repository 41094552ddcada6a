import type { ApprovalState } from './approval.ts'
import type { Risk } from './verdict.ts'

/** APPR-11: approval events that API clients receive, in the form they have on the wire. */
export type ApprovalEvent = ToolApprovalRequired | ToolApprovalResolved

/**
 * Items of the approval stream: the events, `ready` once every approval that was open at the start has been sent, and
 * a `beat` that keeps the connection alive.
 */
export type ApprovalStreamItem =
  | ApprovalEvent
  | { readonly type: 'ready'; readonly pending: number }
  | { readonly type: 'beat' }

/** An approval waits for an answer. A second event with the same id replaces the first one. */
export interface ToolApprovalRequired {
  readonly type: 'tool_approval_required'
  readonly approvalId: string
  readonly sessionId: string
  readonly toolName: string
  /** Exact JSON text that the gate evaluated and that runs once approved. */
  readonly arguments: string
  /** Number of the approval within its session, as shown to people. */
  readonly number: number
  /** Card text (see `Card.what`) with invisible characters made visible. */
  readonly what: string
  readonly reasons: readonly string[]
  /** Rules that *Always* would add; empty if *Always* is not offered. */
  readonly alwaysPatterns: readonly string[]
  readonly risk: Risk
  /** Display name of the requester; `callerId` is the matching id. */
  readonly requestedBy: string
  readonly callerId: string
  readonly whoMayAnswer: string
  /** ISO 8601. */
  readonly expiresAt: string
  readonly warning?: string
  /** True if the call is too large to be shown in full, so that it can only be denied. */
  readonly tooLarge?: true
  /** Full text, if `what` and `reasons` are excerpts. */
  readonly file?: ApprovalFile
}

/** Full text of a card that does not fit into a message. */
export interface ApprovalFile {
  readonly name: string
  readonly bytes: number
  readonly lines: number
  /** Digest of the file's bytes, in hexadecimal. */
  readonly sha256: string
  /** API path that serves the file while the approval is pending. */
  readonly path: string
}

/** An approval was decided, expired or was withdrawn. */
export interface ToolApprovalResolved {
  readonly type: 'tool_approval_resolved'
  readonly approvalId: string
  readonly sessionId: string
  /** Final state. */
  readonly state: Exclude<ApprovalState, 'pending'>
  /** True if it was approved with *Always*. */
  readonly always: boolean
  /** Caller id and display name of the person who decided; null if no person did. */
  readonly decidedBy: string | null
  readonly decidedByName: string | null
  /** ISO 8601. */
  readonly decidedAt: string | null
  /** Reason that was given for a denial. */
  readonly reason: string | null
}
