import { requestBoxRestart } from '../../../db/call/box-restarts.ts'
import type { CommandContext } from './command.ts'

/** Has the box of this conversation restarted by an agent, which alone can sign what a worker acts on. */
export async function restartBox(context: CommandContext): Promise<void> {
  const { db, after, conversation, session, caller } = context
  await requestBoxRestart(db, {
    conversationId: conversation.id,
    worker: session.worker,
    callerId: caller.id,
  })
  after.restartBoxes()
}
