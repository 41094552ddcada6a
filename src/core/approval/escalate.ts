import { findEscalationDue, findEscalationsDue } from '../../db/approval/escalations.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { askNext } from '../card/ask-next.ts'
import type { CoreContext } from '../context.ts'
import { attempt } from '../retry.ts'
import { transact } from '../transaction.ts'

/** APPR-19: of questions that nobody answered for `escalate_after` the next person is asked, once each step. */
export async function escalateApprovals(ctx: CoreContext): Promise<void> {
  for (const { id, session_id } of await findEscalationsDue(ctx.db)) {
    await attempt(ctx, 'ask the next', () =>
      transact(ctx, async (tx) => {
        await lockSession(tx.db, session_id)
        const due = await findEscalationDue(tx.db, id)
        if (due !== undefined) await askNext(tx, due)
      }),
    )
  }
}
