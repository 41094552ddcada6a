import { addCardCopy } from '../../db/approval/card-copies.ts'
import { isLiveMessage } from '../../db/outbox/live-messages.ts'
import { insertSent, isKnownMessage } from '../../db/outbox/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import { pendingCards } from '../../domain/batch-card.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import { readBatch } from '../card/batches.ts'
import { readCard } from '../card/read-card.ts'
import { post } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'

/** Where a copy is; `isCut`: it may not show all of what it asks about, so that nobody may approve by it (APPR-16). */
interface CopyPlace {
  readonly conversationId: string
  readonly isCut: boolean
}

/**
 * THREAT-8, INT-16: a message that shows a card and whose sending was not recorded becomes a copy of it, so that what
 * happens to the card reaches it too; one that is over already is told at once. False: the outbox knows the message, as
 * a copy or as something else, which a token below it must not turn into one. Call under the session's lock.
 */
export async function adoptCopy(
  tx: Transaction,
  approval: Pick<ApprovalRow, 'id' | 'conversation_id' | 'card'>,
  messageId: string,
  { conversationId, isCut }: CopyPlace = { conversationId: approval.conversation_id, isCut: false },
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

/** The same for a message that shows several questions. */
export async function adoptBatchCopy(
  tx: Transaction,
  batchId: string,
  messageId: string,
  { conversationId, isCut }: CopyPlace,
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

/** Whether the outbox knows the message already, or it passes only. */
async function isTaken(db: Db, conversationId: string, messageId: string): Promise<boolean> {
  const conversation = await getConversation(db, conversationId)
  if (await isKnownMessage(db, conversation, messageId)) return true
  return isLiveMessage(db, conversation, messageId)
}
