import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { settleWithoutWorker } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { refundCalls } from '../../db/turn/sessions.ts'
import type { CallState } from '../../domain/tool/tool-call.ts'
import { formatToolError, type ToolError } from '../../domain/tool/tool-error.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Transaction } from '../transaction.ts'
import { recordDecided, recordSettled } from './audit-call.ts'

/**
 * Ends a call that never reached a worker: refused by the gate or a person, cancelled, or wrong from the start. What
 * never ran is given back to the quota. undefined: the call had gone on meanwhile.
 */
export async function refuseCall(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
  end: {
    readonly state: Extract<CallState, 'denied' | 'cancelled' | 'failed'>
    readonly error: ToolError
    /** ERR-04: what helps the model to ask better. */
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
