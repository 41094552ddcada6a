/**
 * Rights beyond talking, answering one's own approvals and ending one's own turns, with the lowest role that has each
 * (CHAT-01, CHAT-02). Commands, buttons, the API and the terminal all check rights against this table. Trust, people
 * and rules files are changed on the machine itself, by anyone who may run `countersign` there.
 */
export const leastRoles = {
  /**
   * Answer approvals of others, end or undo their turns, revoke their grants; receive approvals in private, be marked
   * as away, and follow all approvals in the API.
   */
  decide_for_others: 'approver',
  /** Add and remove rules that apply to everybody. */
  allow_for_everybody: 'approver',
  /** Read the worker's rules and the grants of everybody. */
  see_rules: 'approver',
  read_whole_audit: 'operator',
  lift_budgets: 'operator',
  choose_worker: 'operator',
  /** Decide which tools of MCP servers are offered. */
  approve_tools: 'operator',
  /** Choose one of the configured models for the current session. */
  choose_model: 'user',
} as const satisfies Readonly<Record<string, Role>>

/** Identity on whose behalf a tool runs: `console:<os user>`, `telegram:<id>`, `slack:<team>:<user>`, `api:<client>`. */
type CallerId = string

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

export type Right = keyof typeof leastRoles

export function may({ role }: Pick<Caller, 'role'>, right: Right): boolean {
  return isAtLeast(role, leastRoles[right])
}

/** Returns the chat of an address `<chat>` or `<chat>/<topic>`. */
export function chatOf(place: string): string {
  return place.split('/', 1)[0] ?? place
}

/** Returns the platform of a caller id or a configured conversation: `telegram` for `telegram:42`. */
export function platformOf(name: string): string {
  return name.split(':', 1)[0] ?? name
}
