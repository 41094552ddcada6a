import { saveReplyPath } from '../../db/outbox/reply-paths.ts'
import type { ConversationRow } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { notice } from '../outbox/post.ts'
import type { IntakeTransaction } from './intake-transaction.ts'

/** Words of the product to where something came from, though nothing of it is stored. */
export async function answerHere(tx: IntakeTransaction, text: string): Promise<void> {
  const { id } = await conversationHere(tx)
  await notice(tx, id, text, tx.incoming.from.id)
}

/**
 * The conversation that something came from, with how whoever wrote is answered where we are not. `privateOf`: whose
 * private conversation it is from now on.
 */
export async function conversationHere(
  tx: IntakeTransaction,
  privateOf?: string,
): Promise<ConversationRow> {
  const { db, incoming } = tx

  const { platform, place, from, replyPath } = incoming
  const conversation = await ensureConversation(db, platform, place, privateOf)
  const whose = { conversationId: conversation.id, callerId: from.id }
  if (replyPath !== undefined) await saveReplyPath(db, whose, replyPath)
  return conversation
}
