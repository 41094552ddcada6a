import { requestBoxRestart } from '../../../db/call/box-restarts.ts'
import type { CommandTransaction } from './command.ts'

/** Requests a restart of this conversation's box from an agent, which alone can sign jobs. */
export async function restartBox(tx: CommandTransaction): Promise<void> {
  const { db, conversation, session, caller } = tx
  await requestBoxRestart(db, {
    conversationId: conversation.id,
    worker: session.worker,
    callerId: caller.id,
  })
  tx.effects.restartBoxes()
}
