import { insertInbound } from '../../db/outbox/inbox.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { hasCode } from '../../util/has-code.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { type Inbound, inboundBody } from './inbound.ts'

/**
 * LOOP-04: an update becomes a row before it is confirmed to its platform. Handling starts from rows, so a crash after
 * this loses nothing, and the same update twice is one. Answers the conversation to handle, and the row.
 */
export async function receive(
  ctx: Pick<CoreContext, 'db'>,
  inbound: Inbound,
): Promise<{ readonly conversationId: string; readonly eventId: string }> {
  const body = toStorable(JSON.stringify(inboundBody.parse(inbound.body)))
  const { platform, externalId, callerId } = inbound
  const store = async () => {
    const { id } = await ensureConversation(ctx.db, platform, inbound.conversation)
    const event = { platform, externalId, conversationId: id, callerId, body }
    const { id: eventId } = await insertInbound(ctx.db, event)
    return { conversationId: id, eventId }
  }
  try {
    return await store()
  } catch (error) {
    // Retention deleted the conversation in between: it is made anew.
    if (!hasCode(error, '23503')) throw error
    return store()
  }
}
