import { findLiveTurn } from '../../../db/turn/turns.ts'
import { discardPending, sayAside } from '../discard-pending.ts'
import { notYoursToStop, stopRunning } from '../stop-running.ts'
import { type CommandContext, reply, replyAlone } from './command.ts'
import { restartBox } from './restart-box.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** LOOP-14: ends what runs, in the background too, and what its author wrote before it and nobody has read. */
export async function stop(context: CommandContext): Promise<void> {
  const author = context.caller.id
  const turn = await findLiveTurn(context.db, context.session.id)
  if (turn === undefined) {
    // What was left running in the background has no turn any more.
    await restartBox(context)
    const aside = sayAside(await discardPending(context, [author]))
    const words = `Nothing is running. Background jobs, if there were any, are ended.${aside}`
    return reply(context, await sayNothingHere(context, words))
  }
  if (!(await stopRunning(context, turn, { withThoseOf: author })))
    await replyAlone(context, notYoursToStop)
}
