import { findApprovalOfCall } from '../../../db/approval/approvals.ts'
import { markRunning } from '../../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import type { WorkerMessage } from '../../../rules/jobs/contract.ts'
import { deciderOf } from '../../card/card-decider.ts'
import { updateCard } from '../../card/cards.ts'
import { transact } from '../../kernel/transact.ts'
import type { CallKernel } from '../gate/call-kernel.ts'
import { namesOf } from '../tell-call.ts'

/** A worker says that a call truly started: stored first, then shown on its card (APPR-13). */
export async function markStarted(
  kernel: CallKernel,
  known: ToolCallRow,
  message: Extract<WorkerMessage, { type: 'started' }>,
): Promise<void> {
  if (known.state !== 'queued') return
  await transact(kernel, async (db, after) => {
    await lockSession(db, known.session_id)
    const call = await markRunning(db, known.id, message.attempt, message.replica)
    if (call === undefined) return
    after.tell({
      kind: 'call_started',
      ...namesOf(call),
      attempt: call.attempt,
      worker: message.worker,
      replica: message.replica,
      waitedMs: millisecondsBetween(call.queued_at, call.started_at),
    })
    const approval = await findApprovalOfCall(db, call.id)
    if (approval?.state !== 'approved') return
    await updateCard(db, after, approval, { kind: 'running', ...(await deciderOf(db, approval)) })
  })
}

function millisecondsBetween(start: Date | null, end: Date | null): number {
  return start === null || end === null ? 0 : end.getTime() - start.getTime()
}
