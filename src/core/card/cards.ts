import { findCardCopies, saveCard, saveShownCard } from '../../db/approval/card-copies.ts'
import { dropPendingEdits } from '../../db/outbox/outbox.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import type { Card, CardStatus } from '../../domain/approval.ts'
import { toStorable } from '../../util/text/storable.ts'
import { post } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'
import { postBatch, refreshBatch } from './batches.ts'
import { readCard } from './read-card.ts'

type CardOf = Pick<ApprovalRow, 'id' | 'card' | 'batch_id'>

/** Posts a copy of the card, where it was asked or in another conversation. */
export async function postCard(
  tx: Transaction,
  approval: CardOf & Pick<ApprovalRow, 'conversation_id'>,
  conversationId = approval.conversation_id,
): Promise<void> {
  const card = readCard(approval)
  const outboxId = await post(tx, conversationId, { kind: 'card', card })
  await saveCard(tx.db, approval.id, approval.card)
  await saveShownCard(tx.db, approval.id, outboxId, 'alone')
}

/** Posts a question that waits once more, as it is asked: by a card of its own, or by that of its batch. */
export function postQuestion(
  tx: Transaction,
  approval: CardOf & Pick<ApprovalRow, 'conversation_id'>,
  conversationId = approval.conversation_id,
): Promise<void> {
  const { batch_id } = approval
  if (batch_id !== null) return postBatch(tx, batch_id, conversationId)
  return postCard(tx, approval, conversationId)
}

/** Tells the card's new state on every copy of it (APPR-05, APPR-13). Call in the transaction that stored the state. */
export function updateCard(tx: Transaction, approval: CardOf, status: CardStatus): Promise<void> {
  return editCard(tx, approval, { status })
}

/** Changes some of what the card says, on every copy of it. */
export async function editCard(
  tx: Transaction,
  approval: CardOf,
  change: Partial<Card>,
): Promise<void> {
  const card: Card = { ...readCard(approval), ...change }
  await saveCard(tx.db, approval.id, toStorable(JSON.stringify(card)))
  for (const copy of await findCardCopies(tx.db, approval.id)) {
    await dropPendingEdits(tx.db, copy.outboxId)
    await post(tx, copy.conversationId, { kind: 'card_update', card }, { editOf: copy.outboxId })
  }
  if (approval.batch_id !== null) refreshBatch(tx, approval.batch_id)
}
