import { findLiveTurn } from '../../../db/turns.ts'
import { notYoursToStop, stopRunning } from '../stop-running.ts'
import { type CommandContext, reply, replyAlone } from './command.ts'
import { restartBox } from './restart-box.ts'

/** LOOP-14: ends what runs, in the background too. */
export async function stop(context: CommandContext): Promise<void> {
  const turn = await findLiveTurn(context.db, context.session.id)
  if (turn === undefined) {
    // What was left running in the background has no turn any more.
    await restartBox(context)
    return reply(context, 'Nothing is running. Background jobs, if there were any, are ended.')
  }
  if (!(await stopRunning(context, turn))) await replyAlone(context, notYoursToStop)
}
