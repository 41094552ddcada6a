import type { SessionRow, TurnRow } from '../../db/schema.ts'
import { insertTurnForUnread } from '../../db/turn/turns.ts'
import type { Effects, Transaction } from '../transaction.ts'

/**
 * Starts the next turn if messages are unread and no turn is live (rule 7), for the author of the oldest one, with their grants,
 * budget and cards (LOOP-03). Call under the session's lock.
 */
export async function startNextTurn(
  tx: Transaction,
  session: SessionRow,
): Promise<TurnRow | undefined> {
  if (session.state !== 'open') return undefined
  const turn = await insertTurnForUnread(tx.db, session.id)
  if (turn === undefined) return undefined
  tx.effects.wakeTurn(turn)
  emitTurnStarted(tx.effects, session, turn)
  return turn
}

/** The effects of a turn that a statement has started for what was unread. */
export function tellNext(effects: Effects, session: SessionRow, id: string): void {
  effects.wakeTurn({ id, epoch: 0 })
  emitTurnStarted(effects, session, { id, kind: 'message' })
}

/** Emits that a turn started. */
export function emitTurnStarted(
  effects: Effects,
  session: SessionRow,
  turn: Pick<TurnRow, 'id' | 'kind'>,
): void {
  effects.emit({
    kind: 'turn_started',
    turnId: turn.id,
    sort: turn.kind,
    conversationId: session.conversation_id,
    sessionId: session.id,
  })
}
