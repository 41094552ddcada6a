import { updateCall } from '../../db/tool-calls.ts'
import { findLiveTurn, insertTurn } from '../../db/turns.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/load-facts.ts'
import { notice } from '../outbox/post.ts'
import type { CommandContext } from './commands/command.ts'

/**
 * TERM-03: a person's own command. It runs in the box as a turn of its own without the model, through the same queue,
 * worker and audit; the gate's denials hold, its questions do not, because the person is the one who would answer.
 */
export async function startShell(context: CommandContext, command: string): Promise<void> {
  const { kernel, db, after, conversation, session, caller } = context
  if ((await findLiveTurn(db, session.id)) !== undefined) {
    return notice(
      db,
      after,
      conversation.id,
      'A turn is under way; wait for it, or /stop it first.',
    )
  }
  const turn = await insertTurn(db, {
    sessionId: session.id,
    callerId: caller.id,
    kind: 'shell',
    state: 'acting',
  })
  const scope = { conversation, session, turn }
  const facts = await loadFacts(kernel, db, session, caller.id)
  const request = { id: 'shell', tool: 'bash', arguments: JSON.stringify({ command }) }
  const rows = await createBatch(kernel, db, after, scope, facts, {
    messageId: null,
    requests: [request],
  })
  for (const call of rows) {
    if (call.state === 'awaiting_approval') await updateCall(db, call.id, { state: 'allowed' })
  }
  after.wakeTurn(turn)
}
