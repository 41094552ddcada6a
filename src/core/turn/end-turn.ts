import { endApproval, findPendingOfTurn } from '../../db/approval/approvals.ts'
import { findOpenCalls, requestCancel } from '../../db/call/tool-calls.ts'
import type { TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import { type CancelReason, english } from '../../domain/messages/messages.ts'
import { toStorable } from '../../util/text/storable.ts'
import { emitApprovalDecided } from '../approval/decide/settle-decision.ts'
import { settleDenialsOfTurn } from '../approval/sweep-approvals.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import { closeCard, refuseCall } from '../call/refuse-call.ts'
import { updateCard } from '../card/cards.ts'
import { endNotice, type Transaction } from '../transaction.ts'
import { startNextTurn } from './start-turn.ts'
import { emitTurnEnded, lockTurn, type Stepped } from './turn-context.ts'

/** Fails a turn with a plain reason; its messages stay in the transcript. */
export async function failTurn(
  tx: Transaction<CallContext>,
  turn: TurnRow,
  why: string,
): Promise<Stepped> {
  const { session, conversation } = await lockTurn(tx, turn)
  const end = { state: 'failed', epoch: turn.epoch, failure: toStorable(why) } as const
  const failed = await endTurn(tx.db, turn.id, end)
  if (failed === undefined) return { kind: 'over' }
  emitTurnEnded(tx.effects, failed)
  await closeTurn(tx, turn, { why: 'failed' })
  tx.ctx.log.warn({ turn: turn.id, why }, 'turn failed')
  await endNotice(
    tx,
    { id: turn.id, conversationId: conversation.id },
    tx.ctx.messages.turns.failed({ why: why.replace(/\.$/, '') }),
    turn.caller_id,
  )
  await startNextTurn(tx, session)
  return { kind: 'over' }
}

/** Reason a turn ended before its work was done. */
interface Closing {
  readonly why: CancelReason
  /** Person who ended it, if any. */
  readonly by?: Pick<Caller, 'id' | 'name'>
}

/**
 * Cleans up a turn that ended with open work: cancels its approvals, settles denials, ends calls that no worker has; an agent
 * cancels those at a worker until they are settled (rule 8). Call under the session's lock.
 */
export async function closeTurn(tx: Transaction, turn: TurnRow, closing: Closing): Promise<void> {
  await cancelQuestions(tx, turn, closing)
  await settleDenialsOfTurn(tx, turn.id)
  await dropCalls(tx, turn, closing)
  if (await requestCancel(tx.db, turn.id)) tx.effects.abortTurn(turn.id)
}

async function cancelQuestions(
  tx: Transaction,
  turn: TurnRow,
  { why, by }: Closing,
): Promise<void> {
  for (const approval of await findPendingOfTurn(tx.db, turn.id)) {
    const end = { state: 'cancelled', ...(by === undefined ? {} : { by: by.id }) } as const
    const cancelled = await endApproval(tx.db, approval.id, end)
    if (cancelled === undefined) continue
    emitApprovalDecided(tx.effects, cancelled)
    const name = by === undefined ? {} : { by: by.name }
    await updateCard(tx, cancelled, {
      kind: 'cancelled',
      why: tx.ctx.messages.cards.cancelReasons[why],
      ...name,
    })
  }
}

async function dropCalls(tx: Transaction, turn: TurnRow, { why, by }: Closing): Promise<void> {
  for (const call of await findOpenCalls(tx.db, turn.id)) {
    if (call.state === 'queued' || call.state === 'running') continue
    const done = english.cards.cancelReasons[why]
    const message = by === undefined ? done : `${done} by ${by.name}`
    const error = { category: 'cancelled', message } as const
    await refuseCall(tx, call, turn.caller_id, { state: 'cancelled', error })
    await closeCard(tx, call.id, tx.ctx.messages.cards.cancelReasons[why], by?.name)
  }
}

/** LOOP-14: stops a turn at once for a person. Call under the session's lock. */
export async function stopTurn(
  tx: Transaction,
  turn: TurnRow,
  stop: { readonly by: Caller; readonly why: CancelReason },
): Promise<void> {
  const ended = await endTurn(tx.db, turn.id, { state: 'stopped', stoppedBy: stop.by.name })
  if (ended === undefined) return
  emitTurnEnded(tx.effects, ended)
  tx.effects.abortTurn(turn.id)
  await closeTurn(tx, turn, stop)
}
