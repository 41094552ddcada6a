import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import type { Db } from '../../db/schema.ts'
import { updateCard } from '../card/cards.ts'
import type { Effects } from '../transaction.ts'

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
