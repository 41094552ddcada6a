import { findLiveTurn } from '../../../db/turn/turns.ts'
import { discardPending, sayAside } from '../discard-pending.ts'
import { notYoursToStop, stopRunning } from '../stop-running.ts'
import { type CommandTransaction, reply, replyAlone } from './command.ts'
import { restartBox } from './restart-box.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** LOOP-14: ends what runs, in the background too, and what its author wrote before it and nobody has read. */
export async function stop(tx: CommandTransaction): Promise<void> {
  const author = tx.caller.id
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined) {
    // What was left running in the background has no turn any more.
    await restartBox(tx)
    const aside = sayAside(await discardPending(tx, [author]))
    const words = `Nothing is running. Background jobs, if there were any, are ended.${aside}`
    return reply(tx, await sayNothingHere(tx, words))
  }
  if (!(await stopRunning(tx, turn, { withThoseOf: author }))) await replyAlone(tx, notYoursToStop)
}
