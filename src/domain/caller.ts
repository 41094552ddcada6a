/** On whose behalf a tool runs: `console:<os user>`, `telegram:<id>`, `slack:<team>:<user>`, `api:<client>`. */
export type CallerId = string

/** CHAT-01: a user talks and answers own approvals, an approver answers others', an operator also runs the place. */
export type Role = 'user' | 'approver' | 'operator'

/** Somebody who may talk, and as whom they are known here. */
export interface Caller {
  readonly id: CallerId
  /** What people call them; shown on cards. */
  readonly name: string
  readonly role: Role
}

/** From the least to the highest. */
export const roleRanks: readonly Role[] = ['user', 'approver', 'operator']

/** Whether a role may what this one may. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roleRanks.indexOf(role) >= roleRanks.indexOf(least)
}
