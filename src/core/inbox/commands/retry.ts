import { findLastTurn, insertRetryTurn } from '../../../db/turn/retries.ts'
import { tellStarted } from '../../session/start-turn.ts'
import { type CommandContext, noteCommand, replyAlone } from './command.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** MODEL-04: goes on where the last turn failed or was stopped, as the same person. */
export async function retry(context: CommandContext): Promise<void> {
  const { db, after, session, caller } = context
  const last = await findLastTurn(db, session.id)
  if (last === undefined || last.kind !== 'message' || last.state === 'done') {
    return replyAlone(context, await sayNothingHere(context, 'There is nothing to try again.'))
  }
  if (last.ended_at === null) return replyAlone(context, 'A turn is under way; /stop ends it.')
  // The turn runs with the grants and the budget of whoever wrote.
  if (last.caller_id !== caller.id) {
    return replyAlone(context, 'Only the person whose turn it was may try it again.')
  }
  const turn = await insertRetryTurn(db, { sessionId: session.id, callerId: caller.id })
  await noteCommand(context, '/retry', turn.id)
  after.wakeTurn(turn)
  tellStarted(after, session, turn)
}
