import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { settleWithoutWorker } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { refundCalls } from '../../db/turn/sessions.ts'
import type { CallState } from '../../domain/tool/tool-call.ts'
import { formatToolError, type ToolError } from '../../domain/tool/tool-error.ts'
import { toStorable } from '../../util/text/storable.ts'
import { updateCard } from '../card/cards.ts'
import type { Transaction, TurnTransaction } from '../transaction.ts'
import { recordDecided, recordSettled } from './audit-call.ts'
import type { CallContext } from './gate/call-context.ts'
import { reformatHint } from './result/reformat-hint.ts'

/**
 * Ends a call that never reached a worker: refused by the gate or a person, cancelled, or invalid. Refunds its quota. Returns
 * undefined if the call is no longer in a state to refuse.
 */
export async function refuseCall(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
  end: {
    readonly state: Extract<CallState, 'denied' | 'cancelled' | 'failed'>
    readonly error: ToolError
    /** ERR-04: hint that helps the model to correct the call. */
    readonly hint?: string | undefined
  },
): Promise<ToolCallRow | undefined> {
  const settled = await settleWithoutWorker(tx.db, call.id, {
    state: end.state,
    result: toStorable(formatToolError(end.error, { hint: end.hint })),
    is_error: true,
    error_category: end.error.category,
  })
  if (settled === undefined) return undefined
  await refundCalls(tx.db, call.session_id, 1)
  await recordDecided(tx, settled, callerId, { approval: await findApprovalOfCall(tx.db, call.id) })
  await recordSettled(tx, settled, callerId)
  return settled
}

/** APPR-13: shows on the card that an approved call never ran, instead of "approved". */
export async function closeCard(
  tx: Transaction,
  callId: string,
  why: string,
  by?: string,
): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, callId)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  await updateCard(tx, approval, { kind: 'cancelled', why, ...(by !== undefined && { by }) })
}

/** Ends a call that had been allowed but does not run; its card shows why. */
export async function refuseReady(
  tx: TurnTransaction<CallContext>,
  call: ToolCallRow,
  end: { readonly state: 'failed' | 'denied'; readonly error: ToolError },
): Promise<'settled'> {
  const hint = await reformatHint(tx.ctx, tx.db, call, end.error)
  await refuseCall(tx, call, tx.turn.caller_id, { ...end, hint })
  await closeCard(tx, call.id, end.error.message)
  return 'settled'
}
