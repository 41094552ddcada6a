import type { TurnRow } from '../../db/schema.ts'
import { lockSessionAndConversation } from '../../db/turn/sessions.ts'
import { releaseMidStep } from '../../db/turn/turns.ts'
import type { CoreContext } from '../context.ts'
import { post } from '../outbox/post.ts'
import type { Effects, Transaction, TurnTransaction } from '../transaction.ts'
import type { TurnContext } from './turn-context.ts'

/** Releases a turn mid-step when this agent is ending, so that another takes it at once. No effect on a lost or ended turn. */
export async function releaseEndingTurn(
  { db, signals }: TurnContext,
  { id, epoch }: TurnRow,
): Promise<void> {
  const left = await releaseMidStep(db, id, epoch)
  if (left !== undefined) await signals.turnDue(left.id, left.epoch)
}

/** Locks a turn's session and reads the related rows; the first statement of each of its transitions. */
export async function lockTurn<Context extends CoreContext>(
  tx: Transaction<Context>,
  turn: TurnRow,
): Promise<TurnTransaction<Context>> {
  return { ...tx, ...(await lockSessionAndConversation(tx.db, turn.session_id)), turn }
}

/** Result of a turn's step: the next can follow at once, or the turn is not ours any more: it waits, ended or was lost. */
export type Stepped =
  | { readonly kind: 'continue'; readonly turn: TurnRow }
  | { readonly kind: 'over' }

/** Posts the model's text before approvals are requested, so that people know what they are for. */
export async function postRemark(tx: TurnTransaction, markdown: string): Promise<void> {
  const { conversation, turn } = tx

  if (markdown.trim() === '') return
  const remark = { kind: 'remark', markdown, turnId: turn.id } as const
  await post(tx, conversation.id, remark, { to: turn.caller_id })
}

/** Emits that a turn ended. */
export function emitTurnEnded(effects: Effects, ended: TurnRow): void {
  const { id, session_id, kind, state, step, created_at, ended_at } = ended
  if (state !== 'done' && state !== 'stopped' && state !== 'failed') return
  effects.emit({
    kind: 'turn_ended',
    turnId: id,
    sort: kind,
    sessionId: session_id,
    state,
    steps: step,
    ms: (ended_at?.getTime() ?? 0) - created_at.getTime(),
  })
}
