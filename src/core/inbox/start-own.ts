import { type DirectTurn, findLiveTurn, insertDirectTurn } from '../../db/turn/turns.ts'
import { tellStarted } from '../session/start-turn.ts'
import { type CommandContext, reply } from './commands/command.ts'

/**
 * TERM-03, BASH-07: a person's own command, or their `/undo`. It runs in the box as a turn of its own, through the same queue,
 * worker and audit.
 */
export async function startOwn(context: CommandContext, own: DirectTurn): Promise<void> {
  const { db, after, session, caller } = context
  if ((await findLiveTurn(db, session.id)) !== undefined) {
    return reply(context, 'A turn is under way; wait for it, or /stop it first.')
  }
  const turn = await insertDirectTurn(db, { sessionId: session.id, callerId: caller.id, ...own })
  after.wakeTurn(turn)
  tellStarted(after, session, turn)
}
