import {
  endReasonWait,
  findExplainingOfTurn,
  findUnexplained,
} from '../../db/approval/reason-waits.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { settleDenial } from './decide/settle-denial.ts'

/** TG-03: denials whose reason did not come in time are settled without one. */
export async function endExplanations(kernel: Kernel): Promise<void> {
  for (const approval of await findUnexplained(kernel.db)) {
    await attempt(kernel, 'settle a denial', () => end(kernel, approval))
  }
}

function end(kernel: Kernel, known: ApprovalRow): Promise<void> {
  return transact(kernel, async (db, after) => {
    await lockSession(db, known.session_id)
    const ended = await endReasonWait(db, known.id)
    if (ended !== undefined) await settleDenial(kernel, db, after, ended)
  })
}

/** The same for a turn that is over: what was denied stays denied. Call under the session's lock. */
export async function endExplanationsOfTurn(
  kernel: Kernel,
  db: Db,
  after: Effects,
  turnId: string,
): Promise<void> {
  for (const approval of await findExplainingOfTurn(db, turnId)) {
    const ended = await endReasonWait(db, approval.id)
    if (ended !== undefined) await settleDenial(kernel, db, after, ended)
  }
}
