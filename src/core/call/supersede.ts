import { supersedeApproval } from '../../db/approval/approvals.ts'
import { updateCard } from '../card/cards.ts'
import type { Transaction } from '../transaction.ts'

/** Why one is superseded where a call is another than what its card showed. */
export const hasChanged = 'what was approved has changed'

/** An approval that held no longer counts, since what it approved, or who had to approve it, has changed; its card says so (APPR-05). */
export async function supersede(tx: Transaction, callId: string, why: string): Promise<void> {
  const replaced = await supersedeApproval(tx.db, callId)
  if (replaced === undefined) return
  await updateCard(tx, replaced, { kind: 'cancelled', why })
}
