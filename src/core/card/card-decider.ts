import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { GrantEnd } from '../../domain/grant-life.ts'

/** Who decided a question and when, as its card says it; `life`: until when they allowed the like of it. */
export async function deciderOf(
  db: Db,
  approval: Pick<ApprovalRow, 'decided_by' | 'decided_at' | 'life'>,
): Promise<{ readonly by: string; readonly at: string; readonly life?: GrantEnd }> {
  const { decided_by, decided_at, life } = approval
  const by = decided_by === null ? 'a rule' : await nameOf(db, decided_by)
  return {
    by,
    at: (decided_at ?? new Date()).toISOString(),
    ...(life === null || life === 'always' ? {} : { life }),
  }
}
