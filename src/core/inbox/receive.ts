import { ensureConversation } from '../../db/conversations.ts'
import { insertInbound } from '../../db/inbox.ts'
import { toStorable } from '../../util/storable.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Inbound, inboundBody } from './inbound.ts'

/**
 * LOOP-04: an update becomes a row before it is confirmed to its platform. Handling starts from rows, so a crash after
 * this loses nothing, and the same update twice is one. Answers the conversation to handle, and the row.
 */
export async function receive(
  kernel: Pick<Kernel, 'db'>,
  inbound: Inbound,
): Promise<{ readonly conversationId: string; readonly eventId: string }> {
  const body = inboundBody.parse(inbound.body)
  const { id } = await ensureConversation(kernel.db, inbound.platform, inbound.conversation)
  const { id: eventId } = await insertInbound(kernel.db, {
    platform: inbound.platform,
    externalId: inbound.externalId,
    conversationId: id,
    callerId: inbound.callerId,
    body: toStorable(JSON.stringify(body)),
  })
  return { conversationId: id, eventId }
}
