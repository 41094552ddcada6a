import { type Caller, isAtLeast, type Role } from './caller.ts'

/**
 * What people may do beside talking, answering their own questions and ending their own turns, and the least role for it (CHAT-01,
 * CHAT-02). This table is the only place where a role decides: commands, buttons, the API and the terminal all ask it. Changes of
 * trust, people and rules files are made on the machine itself, by whoever may run `countersign` there.
 */
export const leastRoles = {
  /** Answer others' questions, end or undo their turns, take back their grants; be asked in private, be away, and follow all in the API. */
  decide_for_others: 'approver',
  /** Make and take out rules that hold for everybody. */
  allow_for_everybody: 'approver',
  /** See the text of the worker's rules, and everybody's grants. */
  see_rules: 'approver',
  read_whole_audit: 'operator',
  lift_budgets: 'operator',
  choose_worker: 'operator',
  /** Of those that an operator configured, for the session they write in. */
  choose_model: 'user',
} as const satisfies Readonly<Record<string, Role>>

export type Right = keyof typeof leastRoles

export function may({ role }: Pick<Caller, 'role'>, right: Right): boolean {
  return isAtLeast(role, leastRoles[right])
}
