import { findLastTurn, insertRetryTurn } from '../../../db/turn/retries.ts'
import { tellStarted } from '../../session/start-turn.ts'
import { type CommandTransaction, noteCommand, replyAlone } from './command.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** MODEL-04: goes on where the last turn failed or was stopped, as the same person. */
export async function retry(tx: CommandTransaction): Promise<void> {
  const { db, session, caller } = tx
  const last = await findLastTurn(db, session.id)
  if (last === undefined || last.kind !== 'message' || last.state === 'done') {
    return replyAlone(tx, await sayNothingHere(tx, 'There is nothing to try again.'))
  }
  if (last.ended_at === null) return replyAlone(tx, 'A turn is under way; /stop ends it.')
  // The turn runs with the grants and the budget of whoever wrote.
  if (last.caller_id !== caller.id) {
    return replyAlone(tx, 'Only the person whose turn it was may try it again.')
  }
  const turn = await insertRetryTurn(db, { sessionId: session.id, callerId: caller.id })
  await noteCommand(tx, '/retry', turn.id)
  tx.effects.wakeTurn(turn)
  tellStarted(tx.effects, session, turn)
}
