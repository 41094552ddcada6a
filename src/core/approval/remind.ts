import { findApproval } from '../../db/approvals.ts'
import { takeReminders } from '../../db/due-approvals.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { utcDayAndTime } from '../../util/clock-time.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { notice } from '../outbox/post.ts'

/** Reminds, once, of questions that have waited for `remind_after`. */
export async function remindOfApprovals(kernel: Kernel): Promise<void> {
  await transact(kernel, async (db, after) => {
    for (const due of await takeReminders(db)) {
      const approval = await findApproval(db, due.id)
      if (approval?.state === 'pending') await remind(db, after, approval)
    }
  })
}

/** Says which question waits still, until when, and how to see it. */
export async function remind(
  db: Db,
  after: Effects,
  { number, tool, expires_at, conversation_id }: ApprovalRow,
): Promise<void> {
  const until = utcDayAndTime(expires_at, new Date())
  const text = `Question ${number} (${tool}) still waits for an answer, until ${until}. /approvals shows its card again.`
  await notice(db, after, conversation_id, text)
}
