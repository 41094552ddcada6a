import type { ApprovalState } from './approval.ts'
import type { Risk } from './risk.ts'

/** APPR-11: what programs are told of questions, as it stands in the stream. */
export type ApprovalEvent = ToolApprovalRequired | ToolApprovalResolved

/** What a stream of them carries: also that all of what was open at its begin was told, and that it is still alive. */
export type ApprovalStreamItem =
  | ApprovalEvent
  | { readonly type: 'ready'; readonly pending: number }
  | { readonly type: 'beat' }

/** Somebody is to answer. The same id again: what stands here now replaces what stood there before. */
export interface ToolApprovalRequired {
  readonly type: 'tool_approval_required'
  readonly approvalId: string
  readonly sessionId: string
  readonly toolName: string
  /** JSON: the exact text that was judged, and that runs when it is approved. */
  readonly arguments: string
  /** The number within the session that people see. */
  readonly number: number
  /** What the card shows: as `Card` has it, with nothing invisible left so. */
  readonly what: string
  readonly reasons: readonly string[]
  /** What *always* would allow; empty: it is not offered. */
  readonly alwaysPatterns: readonly string[]
  readonly risk: Risk
  /** A name, and the caller id that it is of. */
  readonly requestedBy: string
  readonly callerId: string
  readonly whoMayAnswer: string
  /** ISO 8601. */
  readonly expiresAt: string
  readonly warning?: string
  /** It can only be denied. */
  readonly tooLarge?: true
  /** What `what` and `reasons` are excerpts of. */
  readonly file?: ApprovalFile
}

/** The whole of a card that has no room for it. */
export interface ApprovalFile {
  readonly name: string
  readonly bytes: number
  readonly lines: number
  /** Of the file's bytes, hexadecimal. */
  readonly sha256: string
  /** Where the API serves it while the question waits. */
  readonly path: string
}

/** Nobody is to answer any more. */
export interface ToolApprovalResolved {
  readonly type: 'tool_approval_resolved'
  readonly approvalId: string
  readonly sessionId: string
  /** How it ended. */
  readonly state: Exclude<ApprovalState, 'pending'>
  /** Approved, and alike calls with it. */
  readonly always: boolean
  /** A caller id and the name that it goes by; null: nobody decided it. */
  readonly decidedBy: string | null
  readonly decidedByName: string | null
  /** ISO 8601. */
  readonly decidedAt: string | null
  /** Why it was denied. */
  readonly reason: string | null
}
