import { findLastTurn, insertRetryTurn } from '../../../db/turn/retries.ts'
import { emitTurnStarted } from '../../session/start-turn.ts'
import { type CommandTransaction, noteCommand, replyAlone } from './command.ts'
import { withThreadHint } from './is-private.ts'

/** MODEL-04: continues after a failed or stopped turn, as the same person. */
export async function retry(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const messages = ctx.messages.commands.retry
  const last = await findLastTurn(db, session.id)
  if (last === undefined || last.kind !== 'message' || last.state === 'done') {
    return replyAlone(tx, await withThreadHint(tx, messages.nothing))
  }
  if (last.ended_at === null) return replyAlone(tx, messages.running)
  // The turn uses the grants and the budget of its caller.
  if (last.caller_id !== caller.id) {
    return replyAlone(tx, messages.notYours)
  }
  const turn = await insertRetryTurn(db, { sessionId: session.id, callerId: caller.id })
  await noteCommand(tx, '/retry', turn.id)
  tx.effects.wakeTurn(turn)
  emitTurnStarted(tx.effects, session, turn)
}
