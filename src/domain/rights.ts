import { type Caller, isAtLeast, type Role } from './caller.ts'

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
  /** Choose one of the configured models for the current session. */
  choose_model: 'user',
} as const satisfies Readonly<Record<string, Role>>

export type Right = keyof typeof leastRoles

export function may({ role }: Pick<Caller, 'role'>, right: Right): boolean {
  return isAtLeast(role, leastRoles[right])
}
