import { endApproval, findApproval, findExpired, takeReminders } from '../../db/approvals.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import { getCall } from '../../db/tool-calls.ts'
import { getTurn, makeDue } from '../../db/turns.ts'
import { refuseCall } from '../call/refuse-call.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { transact } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'
import { notice } from '../outbox/post.ts'

/** APPR-08: what nobody answered in time ends as a denial that says so. */
export async function expireApprovals(kernel: Kernel): Promise<void> {
  for (const approval of await findExpired(kernel.db)) {
    await attempt(kernel, 'expire a question', () => expire(kernel, approval))
  }
}

async function expire(kernel: Kernel, expired: ApprovalRow): Promise<void> {
  await transact(kernel, async (db, after) => {
    await lockSession(db, expired.session_id)
    const ended = await endApproval(db, expired.id, { state: 'expired' })
    if (ended === undefined) return
    const call = await getCall(db, ended.call_id)
    const turn = await getTurn(db, ended.turn_id)
    const message = 'nobody approved it in time; the question expired'
    await refuseCall(kernel, db, call, turn.caller_id, {
      state: 'denied',
      error: { category: 'policy_blocked', message },
    })
    const at = (ended.decided_at ?? new Date()).toISOString()
    await updateCard(db, after, ended, { kind: 'expired', at })
    const due = await makeDue(db, turn.id)
    if (due !== undefined) after.wakeTurn(due)
  })
}

/** Reminds, once, of questions that have waited for `remind_after`. */
export async function remindOfApprovals(kernel: Kernel): Promise<void> {
  await transact(kernel, async (db, after) => {
    for (const due of await takeReminders(db)) {
      const approval = await findApproval(db, due.id)
      if (approval?.state !== 'pending') continue
      const text = `Question ${approval.number} (${approval.tool}) still waits for an answer until ${approval.expires_at.toISOString()}. /approvals shows it.`
      await notice(db, after, approval.conversation_id, text)
    }
  })
}
