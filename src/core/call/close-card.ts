import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { updateCard } from '../card/cards.ts'
import type { Transaction } from '../transaction.ts'

/** APPR-13: the card of a call that was approved and yet never ran says so, instead of "approved" for ever. */
export async function closeCard(
  tx: Transaction,
  callId: string,
  why: string,
  by?: string,
): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, callId)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  await updateCard(tx, approval, { kind: 'cancelled', why, ...(by !== undefined && { by }) })
}
