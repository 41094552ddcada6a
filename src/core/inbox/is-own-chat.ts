import { findReach } from '../../db/outbox/reach.ts'
import type { ConversationRow, Db } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import type { Caller } from '../../domain/caller.ts'
import { chatOf } from '../../domain/chat-address.ts'

/** Whether a conversation is in the chat in which this caller alone wrote before; where that is not certain, it is not. */
export async function isOwnChat(
  db: Db,
  caller: Caller,
  conversation: ConversationRow,
): Promise<boolean> {
  const own = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  if (own === undefined || own.conversationId === null) return false
  if (own.conversationId === conversation.id) return true
  const { platform, external_id: place } = await getConversation(db, own.conversationId)
  return platform === conversation.platform && chatOf(place) === chatOf(conversation.external_id)
}
