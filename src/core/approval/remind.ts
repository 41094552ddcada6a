import { findApproval } from '../../db/approval/approvals.ts'
import { findCardConversations } from '../../db/approval/card-copies.ts'
import { takeReminders } from '../../db/approval/due-approvals.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { utcDayAndTime } from '../../util/text/clock-time.ts'
import { nameQuestion } from '../card/batches.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'
import { transact } from '../transaction.ts'

/** Reminds, once, of questions that have waited for `remind_after`. */
export async function remindOfApprovals(ctx: CoreContext): Promise<void> {
  await transact(ctx, async (tx) => {
    for (const due of await takeReminders(tx.db)) {
      const approval = await findApproval(tx.db, due.id)
      if (approval?.state === 'pending') await remind(tx, approval)
    }
  })
}

/** Says which question waits still, until when, and how to see it: where it was asked, and where its card is. */
export async function remind(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { id, expires_at, conversation_id, caller_id } = approval
  const { name: what, isOne, isSaid } = await nameQuestion(tx.db, approval)
  if (!isSaid) return
  const until = utcDayAndTime(expires_at, new Date())
  const waits = isOne ? 'still waits for an answer' : 'still wait for answers'
  const still = `${waits}, until ${until}. /approvals shows ${isOne ? 'its' : 'their'} card again.`
  await notice(tx, conversation_id, `${what} ${still}`, caller_id)
  const name = await nameOf(tx.db, caller_id)
  for (const place of await findCardConversations(tx.db, id)) {
    if (place === conversation_id) continue
    await notice(tx, place, `${what} for ${name} ${still}`)
  }
}
