import { requestBoxRestart } from '../../../db/call/box-restarts.ts'
import type { CommandTransaction } from './command.ts'

/** Has the box of this conversation restarted by an agent, which alone can sign what a worker acts on. */
export async function restartBox(tx: CommandTransaction): Promise<void> {
  const { db, conversation, session, caller } = tx
  await requestBoxRestart(db, {
    conversationId: conversation.id,
    worker: session.worker,
    callerId: caller.id,
  })
  tx.effects.restartBoxes()
}
