import { findApproval } from '../../db/approval/approvals.ts'
import { findCardConversations } from '../../db/approval/card-copies.ts'
import { takeReminders } from '../../db/approval/due-approvals.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { utcDayAndTime } from '../../util/text/clock-time.ts'
import { nameQuestion } from '../card/batches.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { type Effects, transact } from '../transaction.ts'

/** Reminds, once, of questions that have waited for `remind_after`. */
export async function remindOfApprovals(ctx: CoreContext): Promise<void> {
  await transact(ctx, async (db, after) => {
    for (const due of await takeReminders(db)) {
      const approval = await findApproval(db, due.id)
      if (approval?.state === 'pending') await remind(db, after, approval)
    }
  })
}

/** Says which question waits still, until when, and how to see it: where it was asked, and where its card is. */
export async function remind(db: Db, after: Effects, approval: ApprovalRow): Promise<void> {
  const { id, expires_at, conversation_id, caller_id } = approval
  const { name: what, isOne, isSaid } = await nameQuestion(db, approval)
  if (!isSaid) return
  const until = utcDayAndTime(expires_at, new Date())
  const waits = isOne ? 'still waits for an answer' : 'still wait for answers'
  const still = `${waits}, until ${until}. /approvals shows ${isOne ? 'its' : 'their'} card again.`
  await notice(db, after, conversation_id, `${what} ${still}`, caller_id)
  const name = await nameOf(db, caller_id)
  for (const place of await findCardConversations(db, id)) {
    if (place === conversation_id) continue
    await notice(db, after, place, `${what} for ${name} ${still}`)
  }
}
