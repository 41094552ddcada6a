import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Stores the card's words, and which posted copy of it is the latest. */
export async function saveCard(db: Db, id: string, card: string, outboxId?: number): Promise<void> {
  await db
    .updateTable('approval')
    .set({ card, ...(outboxId === undefined ? {} : { card_outbox_id: outboxId }) })
    .where('id', '=', id)
    .execute()
  if (outboxId !== undefined) await addCardCopy(db, id, outboxId)
}

/** Notes that a row of the outbox is a copy of the card. */
export async function addCardCopy(db: Db, approvalId: string, outboxId: number): Promise<void> {
  await db
    .insertInto('approval_card')
    .values({ approval_id: approvalId, outbox_id: outboxId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Whether a copy of the card was or will be shown: one is there, and its platform did not refuse it for good. */
export async function isCardShown(db: Db, approvalId: string): Promise<boolean> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.id')
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '!=', 'dead')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The outbox rows of every posted copy of a card, oldest first; of two rows for one message the first. */
export async function findCardCopies(db: Db, approvalId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => eb.fn.min('outbox_id').as('outbox_id'))
    .where('approval_id', '=', approvalId)
    .groupBy(['conversation_id', sql`coalesce(external_message_id, 'row ' || outbox.id)`])
    .orderBy('outbox_id')
    .execute()
  return rows.map((row) => row.outbox_id)
}
