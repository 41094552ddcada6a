import { supersedeApproval } from '../../db/approvals.ts'
import type { Db } from '../../db/schema.ts'
import type { Effects } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'

/** An approval that held no longer counts, since what it approved has changed; its card says so (APPR-05). */
export async function supersede(db: Db, after: Effects, callId: string): Promise<void> {
  const replaced = await supersedeApproval(db, callId)
  if (replaced === undefined) return
  await updateCard(db, after, replaced, { kind: 'cancelled', why: 'what was approved has changed' })
}
