import { supersedeApproval } from '../../db/approval/approvals.ts'
import type { Db } from '../../db/schema.ts'
import { updateCard } from '../card/cards.ts'
import type { Effects } from '../transaction.ts'

/** Why one is superseded where a call is another than what its card showed. */
export const hasChanged = 'what was approved has changed'

/** An approval that held no longer counts, since what it approved, or who had to approve it, has changed; its card says so (APPR-05). */
export async function supersede(
  db: Db,
  after: Effects,
  callId: string,
  why: string,
): Promise<void> {
  const replaced = await supersedeApproval(db, callId)
  if (replaced === undefined) return
  await updateCard(db, after, replaced, { kind: 'cancelled', why })
}
