import type { Db, SessionRow, TurnRow } from '../../db/schema.ts'
import { insertUnread } from '../../db/turn/messages.ts'
import { insertTurnForUnread } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Effects, Transaction } from '../transaction.ts'

/** Whose message it was, as stored beside it: the id, which the turn it starts will run as. Answers the message's. */
export async function keepMessage(
  db: Db,
  session: SessionRow,
  author: Caller,
  text: string,
): Promise<string> {
  return insertUnread(db, { sessionId: session.id, author: author.id, text: toStorable(text) })
}

/**
 * Starts the next turn if there is something unread and none is live (rule 7): as the person who wrote the oldest
 * message, with their grants, budget and cards (LOOP-03). Call under the session's lock.
 */
export async function startNextTurn(
  tx: Transaction,
  session: SessionRow,
): Promise<TurnRow | undefined> {
  if (session.state !== 'open') return undefined
  const turn = await insertTurnForUnread(tx.db, session.id)
  if (turn === undefined) return undefined
  tx.effects.wakeTurn(turn)
  tellStarted(tx.effects, session, turn)
  return turn
}

/** Tells that a turn of a session has begun. */
export function tellStarted(effects: Effects, session: SessionRow, turn: TurnRow): void {
  effects.tell({
    kind: 'turn_started',
    turnId: turn.id,
    sort: turn.kind,
    conversationId: session.conversation_id,
    sessionId: session.id,
  })
}
