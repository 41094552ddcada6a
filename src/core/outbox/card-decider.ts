import { nameOf } from '../../db/callers.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'

/** Who decided a question and when, as its card says it. */
export async function deciderOf(
  db: Db,
  approval: Pick<ApprovalRow, 'decided_by' | 'decided_at'>,
): Promise<{ readonly by: string; readonly at: string }> {
  const { decided_by, decided_at } = approval
  const by = decided_by === null ? 'a rule' : await nameOf(db, decided_by)
  return { by, at: (decided_at ?? new Date()).toISOString() }
}
