import { addCardCopy } from '../../db/approval/card-copies.ts'
import { isLiveMessage } from '../../db/outbox/live-messages.ts'
import { insertSent, isKnownMessage } from '../../db/outbox/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import { pendingCards } from '../../domain/approval.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import { readBatch } from '../card/cards.ts'
import { readCard } from '../card/read-card.ts'
import { post, type Transaction } from '../transaction.ts'

/** Location of a copy; `isCut`: it may not show the whole approval, so nobody may approve by it (APPR-16). */
interface CopyLocation {
  readonly conversationId: string
  readonly isCut: boolean
}

/**
 * THREAT-8, INT-16: adopts a message that shows a card but whose sending was not recorded as a copy, so that updates reach it; a
 * decided approval updates it at once. Returns false if the outbox already knows the message, which a token must not turn into a
 * copy. Call under the session's lock.
 */
export async function adoptCopy(
  tx: Transaction,
  approval: Pick<ApprovalRow, 'id' | 'conversation_id' | 'card'>,
  messageId: string,
  { conversationId, isCut }: CopyLocation = {
    conversationId: approval.conversation_id,
    isCut: false,
  },
): Promise<boolean> {
  if (await isTaken(tx.db, conversationId, messageId)) return false
  const card = readCard(approval)
  const shown: Outgoing = { kind: 'card', card: { ...card, status: { kind: 'waiting' } } }
  const copy = await insertSent(
    tx.db,
    conversationId,
    toStorable(JSON.stringify(shown)),
    messageId,
    isCut,
  )
  await addCardCopy(tx.db, approval.id, copy, 'alone')
  if (card.status.kind !== 'waiting') {
    await post(tx, conversationId, { kind: 'card_update', card }, { editOf: copy })
  }
  return true
}

/** Adopts a message that shows a batch. */
export async function adoptBatchCopy(
  tx: Transaction,
  batchId: string,
  messageId: string,
  { conversationId, isCut }: CopyLocation,
): Promise<boolean> {
  if (await isTaken(tx.db, conversationId, messageId)) return false
  const found = await readBatch(tx.db, batchId)
  if (found === undefined) return false
  const { card: batch, members } = found
  const shown = toStorable(JSON.stringify({ kind: 'batch', batch } satisfies Outgoing))
  const copy = await insertSent(tx.db, conversationId, shown, messageId, isCut)
  for (const { id } of members) await addCardCopy(tx.db, id, copy, 'batch')
  if (pendingCards(batch).length < members.length) {
    await post(tx, conversationId, { kind: 'batch_update', batch }, { editOf: copy })
  }
  return true
}

/** Whether the outbox already knows the message, or it is a live one. */
async function isTaken(db: Db, conversationId: string, messageId: string): Promise<boolean> {
  const conversation = await getConversation(db, conversationId)
  if (await isKnownMessage(db, conversation, messageId)) return true
  return isLiveMessage(db, conversation, messageId)
}
