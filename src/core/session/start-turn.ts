import { findUnread, insertUnread } from '../../db/messages.ts'
import type { Db, SessionRow, TurnRow } from '../../db/schema.ts'
import { findLiveTurn, insertTurn } from '../../db/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import { toStorable } from '../../util/storable.ts'
import type { Effects } from '../kernel/transact.ts'

/** Whose message it was, as stored beside it: the id, which the turn it starts will run as. */
export async function keepMessage(
  db: Db,
  session: SessionRow,
  author: Caller,
  text: string,
): Promise<void> {
  await insertUnread(db, { sessionId: session.id, author: author.id, text: toStorable(text) })
}

/**
 * Starts the next turn if there is something unread and none is live (rule 7): as the person who wrote the oldest
 * message, with their grants, budget and cards (LOOP-03). Call under the session's lock.
 */
export async function startNextTurn(
  db: Db,
  after: Effects,
  session: SessionRow,
): Promise<TurnRow | undefined> {
  if (session.state !== 'open') return undefined
  const first = (await findUnread(db, session.id))[0]
  if (first === undefined || (await findLiveTurn(db, session.id)) !== undefined) return undefined
  const turn = await insertTurn(db, {
    sessionId: session.id,
    callerId: first.author,
    kind: 'message',
    state: 'queued',
  })
  after.wakeTurn(turn)
  return turn
}
