import { findApproval } from '../../db/approvals.ts'
import { takeReminders } from '../../db/due-approvals.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
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
  const [day, time] = expires_at.toISOString().split('T')
  const until = `${day} ${time?.slice(0, 5)} UTC`
  const text = `Question ${number} (${tool}) still waits for an answer, until ${until}. /approvals shows its card again.`
  await notice(db, after, conversation_id, text)
}
