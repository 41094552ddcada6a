import { findCardCopies, saveCard } from '../../db/card-copies.ts'
import { dropPendingEdits } from '../../db/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { Card, CardStatus } from '../../domain/approval.ts'
import { toStorable } from '../../util/storable.ts'
import type { Effects } from '../kernel/transact.ts'
import { post } from './post.ts'

type CardOf = Pick<ApprovalRow, 'id' | 'conversation_id' | 'card'>

/** The card as it was stored with its approval. Our own writing, so it is not checked again. */
export function readCard(approval: Pick<ApprovalRow, 'card'>): Card {
  return JSON.parse(approval.card)
}

/** Posts a copy of the card; answers its number in the outbox. */
export async function postCard(db: Db, after: Effects, approval: CardOf): Promise<number> {
  const card = readCard(approval)
  const outboxId = await post(db, after, approval.conversation_id, { kind: 'card', card })
  await saveCard(db, approval.id, approval.card, outboxId)
  return outboxId
}

/** Tells the card's new state on every copy of it (APPR-05, APPR-13). Call in the transaction that stored the state. */
export function updateCard(
  db: Db,
  after: Effects,
  approval: CardOf,
  status: CardStatus,
): Promise<void> {
  return editCard(db, after, approval, { status })
}

/** Changes some of what the card says, on every copy of it. */
export async function editCard(
  db: Db,
  after: Effects,
  approval: CardOf,
  change: Partial<Card>,
): Promise<void> {
  const card: Card = { ...readCard(approval), ...change }
  await saveCard(db, approval.id, toStorable(JSON.stringify(card)))
  for (const copy of await findCardCopies(db, approval.id)) {
    await dropPendingEdits(db, copy)
    await post(db, after, approval.conversation_id, { kind: 'card_update', card }, copy)
  }
}
