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

/** A copy that is not there any more. */
export async function dropCardCopy(db: Db, outboxId: number): Promise<void> {
  await db.deleteFrom('approval_card').where('outbox_id', '=', outboxId).execute()
}

/** Whether a copy of the card has been shown, and wholly; one that waits to be sent has not (APPR-16). */
export async function isCardShown(db: Db, approvalId: string): Promise<boolean> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.id')
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '=', sql.lit('sent'))
    .where('outbox.is_cut', '=', false)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** When the first copy of the card was shown. */
export async function firstShownAt(db: Db, approvalId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => eb.fn.min('outbox.sent_at').as('at'))
    .where('approval_id', '=', approvalId)
    .executeTakeFirst()
  return row?.at ?? undefined
}

/** How many copies of the card were posted since then and are, or will be, shown. */
export async function countCopiesSince(db: Db, approvalId: string, since: Date): Promise<number> {
  const { copies } = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => eb.fn.countAll<number>().as('copies'))
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '!=', sql.lit('dead'))
    .where('outbox.created_at', '>', since)
    .executeTakeFirstOrThrow()
  return copies
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
