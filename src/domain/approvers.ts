import type { Role } from './caller.ts'
import type { Risk } from './verdict.ts'

/** Who may approve calls, and how many people must. */
export interface ApproverSettings {
  /** True if callers may approve their own calls. */
  readonly allowSelf: boolean
  /** Lowest role that may approve, for each risk tier. */
  readonly roles: Readonly<Record<Risk, Role>>
  /** Number of different people who must approve, for each risk tier. */
  readonly people: Readonly<Record<Risk, number>>
  readonly quorum: readonly QuorumRule[]
}

/** APPR-12: raises the number of approvers for calls that match a tool and a pattern. */
export interface QuorumRule {
  /** Tool name; `*` matches any text. */
  readonly tool: string
  readonly pattern: string
  readonly people: number
}

/** APPR-18, APPR-19: where approvals are shown, and who is asked next if they stay unanswered. */
export interface RoutingSettings {
  /** The conversation itself, the private chats of the approvers, or `channel`. */
  readonly route: 'conversation' | 'approver' | 'channel'
  /** Conversation such as `telegram:-100123`. */
  readonly channel: string | undefined
  /** Caller ids, in the order in which they are asked. */
  readonly escalateTo: readonly string[]
  /** Milliseconds between two escalations; undefined disables escalation by time. */
  readonly escalateAfterMs: number | undefined
}

/** Requirements for approving one call. One person who may answer is enough to deny it. */
export interface ApproverRule {
  readonly leastRole: Role
  /** Number of different people who must approve. */
  readonly people: number
  readonly allowSelf: boolean
}
