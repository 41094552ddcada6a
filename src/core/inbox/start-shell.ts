import { findLiveTurn, insertShellTurn } from '../../db/turns.ts'
import { tellStarted } from '../session/start-turn.ts'
import { type CommandContext, reply } from './commands/command.ts'

/** TERM-03: a person's own command. It runs in the box as a turn of its own, through the same queue, worker and audit. */
export async function startShell(context: CommandContext, command: string): Promise<void> {
  const { db, after, session, caller } = context
  if ((await findLiveTurn(db, session.id)) !== undefined) {
    return reply(context, 'A turn is under way; wait for it, or /stop it first.')
  }
  const turn = await insertShellTurn(db, { sessionId: session.id, callerId: caller.id, command })
  after.wakeTurn(turn)
  tellStarted(after, session, turn)
}
