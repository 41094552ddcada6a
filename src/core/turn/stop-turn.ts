import { endApproval, findPendingOfTurn } from '../../db/approvals.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { findOpenCalls, requestCancel } from '../../db/tool-calls.ts'
import { endTurn } from '../../db/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { CallKernel } from '../call/call-kernel.ts'
import { refuseCall } from '../call/refuse-call.ts'
import { resign } from '../call/resend-calls.ts'
import type { Effects } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'

/**
 * LOOP-14: ends a turn now. Its questions are cancelled, calls that no worker has are over, those at a worker are
 * cancelled until they are settled (rule 8). Call under the session's lock.
 */
export async function stopTurn(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  turn: TurnRow,
  stop: { readonly by: Caller; readonly why: string },
): Promise<void> {
  const ended = await endTurn(db, turn.id, { state: 'stopped', stoppedBy: stop.by.name })
  if (ended === undefined) return
  after.abortTurn(turn.id)
  for (const approval of await findPendingOfTurn(db, turn.id)) {
    const cancelled = await endApproval(db, approval.id, { state: 'cancelled', by: stop.by.id })
    if (cancelled !== undefined) {
      await updateCard(db, after, cancelled, { kind: 'cancelled', why: stop.why })
    }
  }
  await cancelCalls(kernel, db, after, turn, stop.why)
}

async function cancelCalls(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  turn: TurnRow,
  why: string,
): Promise<void> {
  for (const call of await findOpenCalls(db, turn.id)) {
    if (call.state === 'queued' || call.state === 'running') continue
    const error = { category: 'cancelled', message: why } as const
    await refuseCall(kernel, db, call, turn.caller_id, { state: 'cancelled', error })
  }
  for (const call of await requestCancel(db, turn.id)) {
    const signed = await resign({ ...kernel, db }, call, 'cancel')
    if (signed !== undefined) after.sendCancel(call.id, signed)
  }
}
