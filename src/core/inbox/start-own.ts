import { type DirectTurn, findLiveTurn, insertDirectTurn } from '../../db/turn/turns.ts'
import { emitTurnStarted } from '../turn/start-turn.ts'
import { type CommandTransaction, reply } from './commands/command.ts'

/** TERM-03, BASH-07: starts a turn for a person's own command or `/undo`, through the same queue, worker and audit. */
export async function startDirectTurn(tx: CommandTransaction, own: DirectTurn): Promise<void> {
  const { ctx, db, session, caller } = tx
  if ((await findLiveTurn(db, session.id)) !== undefined) {
    return reply(tx, ctx.messages.commands.turnRuns)
  }
  const turn = await insertDirectTurn(db, { sessionId: session.id, callerId: caller.id, ...own })
  tx.effects.wakeTurn(turn)
  emitTurnStarted(tx.effects, session, turn)
}
