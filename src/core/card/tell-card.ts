import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import type { Transaction } from '../transaction.ts'
import { deciderOf } from './card-decider.ts'
import { updateCard } from './cards.ts'

/** Lets the card of a call, if it has one, say how the call ended (APPR-05). */
export async function tellCard(tx: Transaction, call: ToolCallRow): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, call.id)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  await updateCard(tx, approval, {
    kind: 'finished',
    ...(await deciderOf(tx.db, approval)),
    outcome: describeEnd(call),
    isSuccess: isSuccess(call),
    durationMs: call.duration_ms ?? 0,
  })
}

/** How a call ended, in the few words a card has room for. */
export function describeEnd(call: ToolCallRow): string {
  if (call.state === 'succeeded') return call.envelope === null ? 'done' : `exit ${call.exit_code}`
  if (call.state === 'failed') return `failed (${call.error_category})`
  return call.state
}

/** A command that ends with another exit code than 0 has run and did not succeed. */
function isSuccess({ state, envelope, exit_code }: ToolCallRow): boolean {
  return state === 'succeeded' && (envelope === null || exit_code === 0)
}
