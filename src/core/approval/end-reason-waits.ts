import {
  endReasonWait,
  findExplainingOfTurn,
  findUnexplained,
} from '../../db/approval/reason-waits.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import type { CoreContext } from '../context.ts'
import { attempt } from '../retry.ts'
import type { Transaction } from '../transaction.ts'
import { transact } from '../transaction.ts'
import { settleDenial } from './decide/settle-denial.ts'

/** TG-03: denials whose reason did not come in time are settled without one. */
export async function endExplanations(ctx: CoreContext): Promise<void> {
  for (const approval of await findUnexplained(ctx.db)) {
    await attempt(ctx, 'settle a denial', () => end(ctx, approval))
  }
}

function end(ctx: CoreContext, known: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    await lockSession(tx.db, known.session_id)
    const ended = await endReasonWait(tx.db, known.id)
    if (ended !== undefined) await settleDenial(tx, ended)
  })
}

/** The same for a turn that is over: what was denied stays denied. Call under the session's lock. */
export async function endExplanationsOfTurn(tx: Transaction, turnId: string): Promise<void> {
  for (const approval of await findExplainingOfTurn(tx.db, turnId)) {
    const ended = await endReasonWait(tx.db, approval.id)
    if (ended !== undefined) await settleDenial(tx, ended)
  }
}
