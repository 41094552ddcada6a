import type { Role } from './caller.ts'
import type { Risk } from './risk.ts'

/** What the operator wants of approvals: who may give them, and how many people must. */
export interface ApproverSettings {
  /** Whether callers may approve their own calls. */
  readonly allowSelf: boolean
  /** Least role for each tier. */
  readonly roles: Readonly<Record<Risk, Role>>
  /** How many different people must approve a call of each tier. */
  readonly people: Readonly<Record<Risk, number>>
  readonly quorum: readonly QuorumRule[]
}

/** APPR-12: calls that need more people, by tool and by what they name. */
export interface QuorumRule {
  /** Of the tool; `*` stands for any text. */
  readonly tool: string
  readonly pattern: string
  readonly people: number
}

/** APPR-18, APPR-19: where questions are shown, and who is asked when nobody answers. */
export interface RoutingSettings {
  /** Where it was asked, in the private chats of those who may approve, or in `channel`. */
  readonly route: 'conversation' | 'approver' | 'channel'
  /** Such as `telegram:-100123`. */
  readonly channel: string | undefined
  /** Callers, in the order in which they are asked. */
  readonly escalateTo: readonly string[]
  /** In milliseconds, from each to the next; undefined: never by time. */
  readonly escalateAfterMs: number | undefined
}

/** What one question needs to be approved. Anybody who may answer it can deny it alone. */
export interface ApproverRule {
  readonly leastRole: Role
  /** How many different people. */
  readonly people: number
  readonly allowSelf: boolean
}
