/** Identity on whose behalf a tool runs: `console:<os user>`, `telegram:<id>`, `slack:<team>:<user>`, `api:<client>`. */
export type CallerId = string

/**
 * CHAT-01: a user talks and answers their own approvals, an approver also answers those of others, an operator also
 * administers the installation.
 */
export type Role = 'user' | 'approver' | 'operator'

/** Person or program that may use the bot. */
export interface Caller {
  readonly id: CallerId
  /** Display name, shown on cards. */
  readonly name: string
  readonly role: Role
}

/** Roles in ascending order of rights. */
export const roleRanks: readonly Role[] = ['user', 'approver', 'operator']

/** True if `role` has at least the rights of `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roleRanks.indexOf(role) >= roleRanks.indexOf(least)
}
