import { findEscalationDue, findEscalationsDue } from '../../db/approval/escalations.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { askNext } from '../card/ask-next.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { transact } from '../kernel/transact.ts'

/** APPR-19: of questions that nobody answered for `escalate_after` the next person is asked, once each step. */
export async function escalateApprovals(kernel: Kernel): Promise<void> {
  for (const { id, session_id } of await findEscalationsDue(kernel.db)) {
    await attempt(kernel, 'ask the next', () =>
      transact(kernel, async (db, after) => {
        await lockSession(db, session_id)
        const due = await findEscalationDue(db, id)
        if (due !== undefined) await askNext(kernel, db, after, due)
      }),
    )
  }
}
