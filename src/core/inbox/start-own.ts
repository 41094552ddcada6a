import { type DirectTurn, findLiveTurn, insertDirectTurn } from '../../db/turn/turns.ts'
import { tellStarted } from '../session/start-turn.ts'
import { type CommandTransaction, reply } from './commands/command.ts'

/**
 * TERM-03, BASH-07: a person's own command, or their `/undo`. It runs in the box as a turn of its own, through the same queue,
 * worker and audit.
 */
export async function startOwn(tx: CommandTransaction, own: DirectTurn): Promise<void> {
  const { db, session, caller } = tx
  if ((await findLiveTurn(db, session.id)) !== undefined) {
    return reply(tx, 'A turn is under way; wait for it, or /stop it first.')
  }
  const turn = await insertDirectTurn(db, { sessionId: session.id, callerId: caller.id, ...own })
  tx.effects.wakeTurn(turn)
  tellStarted(tx.effects, session, turn)
}
