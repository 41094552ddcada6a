import { findLiveTurn } from '../../../db/turn/turns.ts'
import { discardedSentence, discardPending, stopRunning } from '../stop-running.ts'
import { type CommandTransaction, reply, replyAlone } from './command.ts'
import { withThreadHint } from './is-private.ts'
import { restartBox } from './restart-box.ts'

/** LOOP-14: stops the turn and background jobs, and drops the caller's unread messages. */
export async function stop(tx: CommandTransaction): Promise<void> {
  const messages = tx.ctx.messages.commands.stop
  const author = tx.caller.id
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined) {
    // Background jobs have no turn any more.
    await restartBox(tx)
    const aside = discardedSentence(tx.ctx.messages, await discardPending(tx, [author]))
    const words = `${messages.nothing}${aside}`
    return reply(tx, await withThreadHint(tx, words))
  }
  if (!(await stopRunning(tx, turn, { alsoFrom: author }))) await replyAlone(tx, messages.notYours)
}
