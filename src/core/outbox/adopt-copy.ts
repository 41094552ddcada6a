import { addCardCopy } from '../../db/card-copies.ts'
import { getConversation } from '../../db/conversations.ts'
import { isLiveMessage } from '../../db/live-messages.ts'
import { insertSent, isKnownMessage } from '../../db/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/storable.ts'
import type { Effects } from '../kernel/transact.ts'
import { readCard } from './cards.ts'
import { post } from './post.ts'

/**
 * THREAT-8, INT-16: a message that shows a card and whose sending was not recorded becomes a copy of it, so that what
 * happens to the card reaches it too; one that is over already is told at once. False: the outbox knows the message, as
 * a copy or as something else, which a token below it must not turn into one. Call under the session's lock.
 */
export async function adoptCopy(
  db: Db,
  after: Effects,
  approval: Pick<ApprovalRow, 'id' | 'conversation_id' | 'card'>,
  messageId: string,
): Promise<boolean> {
  const conversation = await getConversation(db, approval.conversation_id)
  if (await isKnownMessage(db, conversation, messageId)) return false
  if (await isLiveMessage(db, conversation, messageId)) return false
  const card = readCard(approval)
  const shown: Outgoing = { kind: 'card', card: { ...card, status: { kind: 'waiting' } } }
  const copy = await insertSent(db, conversation.id, toStorable(JSON.stringify(shown)), messageId)
  await addCardCopy(db, approval.id, copy)
  if (card.status.kind !== 'waiting') {
    await post(db, after, conversation.id, { kind: 'card_update', card }, copy)
  }
  return true
}
