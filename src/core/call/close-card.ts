import { findApprovalOfCall } from '../../db/approvals.ts'
import type { Db } from '../../db/schema.ts'
import type { Effects } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'

/** APPR-13: the card of a call that was approved and yet never ran says so, instead of "approved" for ever. */
export async function closeCard(
  db: Db,
  after: Effects,
  callId: string,
  why: string,
): Promise<void> {
  const approval = await findApprovalOfCall(db, callId)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  await updateCard(db, after, approval, { kind: 'cancelled', why })
}
