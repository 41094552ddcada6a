import { sql } from 'kysely'
import { isMessage } from '../outbox/outbox.ts'
import type { ApprovalRow, Db } from '../schema.ts'

/** How a message shows a question: by itself, or among those of its batch. */
export type Showing = 'alone' | 'batch'

/** Stores the card's words. */
export async function saveCard(db: Db, id: string, card: string): Promise<void> {
  await db.updateTable('approval').set({ card }).where('id', '=', id).execute()
}

/** Notes that a question was posted; of several copies this one is the latest. */
export async function saveShownCard(
  db: Db,
  id: string,
  outboxId: number,
  showing: Showing,
): Promise<void> {
  await db.updateTable('approval').set({ card_outbox_id: outboxId }).where('id', '=', id).execute()
  await addCardCopy(db, id, outboxId, showing)
}

/** Notes that a row of the outbox is a copy of the card, or shows its question among others. */
export async function addCardCopy(
  db: Db,
  approvalId: string,
  outboxId: number,
  showing: Showing = 'alone',
): Promise<void> {
  await db
    .insertInto('approval_card')
    .values({ approval_id: approvalId, outbox_id: outboxId, is_batch: showing === 'batch' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A copy that is not there any more. */
export async function dropCardCopy(db: Db, outboxId: number): Promise<void> {
  await db.deleteFrom('approval_card').where('outbox_id', '=', outboxId).execute()
}

/**
 * Whether a copy of the card has been shown, and wholly; one that waits to be sent has not (APPR-16). In any conversation, or
 * in this one; in any way, or in this one.
 */
export async function isCardShown(
  db: Db,
  approvalId: string,
  {
    at,
    showing,
  }: { readonly at?: string | undefined; readonly showing?: Showing | undefined } = {},
): Promise<boolean> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.id')
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '=', sql.lit('sent'))
    .where('outbox.is_cut', '=', false)
    .$if(at !== undefined, (query) => query.where('outbox.conversation_id', '=', at ?? ''))
    .$if(showing !== undefined, (query) => query.where('is_batch', '=', showing === 'batch'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a question's own card is, or will be, shown in a conversation. */
export async function isShownAlone(
  db: Db,
  approvalId: string,
  conversationId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.id')
    .where('approval_id', '=', approvalId)
    .where('is_batch', '=', false)
    .where('outbox.state', '!=', sql.lit('dead'))
    .where('outbox.conversation_id', '=', conversationId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** When the first copy of the card was shown, anywhere or in this conversation. */
export async function firstShownAt(
  db: Db,
  approvalId: string,
  conversationId?: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => eb.fn.min('outbox.sent_at').as('at'))
    .where('approval_id', '=', approvalId)
    .$if(conversationId !== undefined, (query) =>
      query.where('outbox.conversation_id', '=', conversationId ?? ''),
    )
    .executeTakeFirst()
  return row?.at ?? undefined
}

/** How many copies of the card were posted in a conversation since then and are, or will be, shown. */
export async function countCopiesSince(
  db: Db,
  approvalId: string,
  conversationId: string,
  since: Date,
): Promise<number> {
  const { copies } = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => eb.fn.countAll<number>().as('copies'))
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '!=', sql.lit('dead'))
    .where('outbox.created_at', '>', since)
    .where('outbox.conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  return copies
}

/**
 * The outbox rows of every posted copy of a card, oldest first, and where; of two rows for one message the first. Or of the cards
 * that show it among others.
 */
export async function findCardCopies(
  db: Db,
  approvalId: string,
  showing: Showing = 'alone',
): Promise<readonly { readonly outboxId: number; readonly conversationId: string }[]> {
  const rows = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select((eb) => ['conversation_id', eb.fn.min('outbox_id').as('outbox_id')])
    .where('approval_id', '=', approvalId)
    .where('is_batch', '=', showing === 'batch')
    .groupBy(['conversation_id', sql`coalesce(external_message_id, 'row ' || outbox.id)`])
    .orderBy('outbox_id')
    .execute()
  return rows.map((row) => ({ outboxId: row.outbox_id, conversationId: row.conversation_id }))
}

/** Conversations with a copy of the card that is, or will be, shown. */
export async function findCardPlaces(db: Db, approvalId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.conversation_id')
    .distinct()
    .where('approval_id', '=', approvalId)
    .where('outbox.state', '!=', sql.lit('dead'))
    .orderBy('outbox.conversation_id')
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** Questions that wait and were asked in another conversation, whose card is shown in this one, or that were asked for one of these callers. */
export function findPendingElsewhere(
  db: Db,
  conversationId: string,
  callerIds: readonly string[],
): Promise<ApprovalRow[]> {
  const isTheirs =
    callerIds.length === 0 ? sql.lit(false) : sql<boolean>`caller_id = any(${callerIds})`
  return db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('conversation_id', '!=', conversationId)
    .where((eb) => {
      const shownHere = eb
        .selectFrom('approval_card')
        .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
        .select('approval_card.approval_id')
        .where('outbox.conversation_id', '=', conversationId)
        .where('outbox.state', '!=', sql.lit('dead'))
      return eb.or([isTheirs, eb('id', 'in', shownHere)])
    })
    .orderBy('created_at')
    .execute()
}

/**
 * Questions that wait, whose card is nowhere shown and not on its way to where they were asked: all copies were given up, or
 * none was sent in `waitMs`.
 */
export async function findUnshown(db: Db, waitMs: number): Promise<ApprovalRow[]> {
  const copies = sql`
    from approval_card join outbox on outbox.id = approval_card.outbox_id
    where approval_card.approval_id = approval.id`
  return db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('card_outbox_id', 'is not', null)
    .where(sql<boolean>`not exists (select ${copies} and outbox.state = 'sent')`)
    .where(
      sql<boolean>`not exists (select ${copies} and outbox.conversation_id = approval.conversation_id)`,
    )
    .where(
      sql<boolean>`(created_at < now() - make_interval(secs => ${waitMs / 1000})
        or not exists (select ${copies} and outbox.state <> 'dead'))`,
    )
    .execute()
}

/** Questions of whose cards a message in this conversation, by the platform's id, is a copy or a part of one, and of no other's. */
export function questionsShownBy(db: Db, conversationId: string, externalMessageId: string) {
  return db
    .selectFrom('approval')
    .innerJoin('approval_card', 'approval_card.approval_id', 'approval.id')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .selectAll('approval')
    .where('outbox.conversation_id', '=', conversationId)
    .where('approval_card.is_batch', '=', false)
    .where(isMessage(externalMessageId))
    .limit(1)
}
