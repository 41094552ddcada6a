import { supersedeApproval } from '../../db/approval/approvals.ts'
import { updateCall } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import type { CancelReason } from '../../domain/messages/messages.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { updateCard } from '../card/cards.ts'
import type { Transaction } from '../transaction.ts'
import { emitChangedVerdict } from './audit-call.ts'
import { type EvaluatedCall, storedVerdict } from './gate/judge-call.ts'

/** Call that needs approval, with its verdict. */
export interface Ask {
  readonly call: ToolCallRow
  readonly verdict: Verdict
  readonly args: Readonly<Record<string, unknown>>
}

/** Sends a call that was about to run back to approval; its earlier approval is superseded for the reason `why`. */
export async function requestReapproval(
  tx: Transaction,
  call: ToolCallRow,
  { verdict, args }: Pick<EvaluatedCall, 'verdict' | 'args'>,
  why: CancelReason,
): Promise<Ask> {
  await supersede(tx, call.id, why)
  const waiting = await updateCall(tx.db, call.id, {
    state: 'awaiting_approval',
    verdict: storedVerdict(verdict),
    base_sha256: null,
    preview: 'none',
  })
  emitChangedVerdict(tx.effects, waiting, 'ask')
  return { call: waiting, verdict, args }
}

/** Supersedes an approval because the call or the required approvers changed; its card shows that (APPR-05). */
export async function supersede(tx: Transaction, callId: string, why: CancelReason): Promise<void> {
  const replaced = await supersedeApproval(tx.db, callId)
  if (replaced === undefined) return
  await updateCard(tx, replaced, {
    kind: 'cancelled',
    why: tx.ctx.messages.cards.cancelReasons[why],
  })
}
