import { sql } from 'kysely'
import { isMessage } from '../outbox/outbox.ts'
import type { ApprovalRow, Db } from '../schema.ts'

/** How a message shows an approval: on its own card, or in a batch. */
export type Showing = 'alone' | 'batch'

/** Stores the content of a card. */
export async function saveCard(db: Db, id: string, card: string): Promise<void> {
  await db.updateTable('approval').set({ card }).where('id', '=', id).execute()
}

/** Records that a card was posted; the latest copy counts as the card. */
export async function saveShownCard(
  db: Db,
  id: string,
  outboxId: number,
  showing: Showing,
): Promise<void> {
  await db.updateTable('approval').set({ card_outbox_id: outboxId }).where('id', '=', id).execute()
  await addCardCopy(db, id, outboxId, showing)
}

/** Records an outbox row as a copy of the card, or as a batch card that includes the approval. */
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

/** APPR-16: records that a copy that may have been truncated shows the whole card by now. */
export async function markWhole(db: Db, outboxId: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ is_cut: false })
    .where('id', '=', outboxId)
    .where('is_cut', '=', true)
    .execute()
}

/** Deletes the record of a copy whose message no longer exists. */
export async function dropCardCopy(db: Db, outboxId: number): Promise<void> {
  await db.deleteFrom('approval_card').where('outbox_id', '=', outboxId).execute()
}

/**
 * APPR-16: true if a copy of the card was sent and not truncated; copies that wait to be sent do not count. `at` and
 * `showing` restrict the search to one conversation and one form.
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

/** True if the approval's own card is or will be shown in a conversation. */
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

/** Returns the time at which the first copy of the card was shown, anywhere or in one conversation. */
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

/** Counts copies of the card posted in a conversation since a time that are or will be shown. */
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

/** Message that shows a card, by its outbox row. */
export interface CardCopy {
  readonly outboxId: number
  readonly conversationId: string
}

/**
 * Returns the outbox rows of all copies of a card, oldest first, with their conversations; one row for each message. With
 * `showing` `batch`: of the batch cards that include the approval.
 */
export async function findCardCopies(
  db: Db,
  approvalId: string,
  showing: Showing = 'alone',
): Promise<readonly CardCopy[]> {
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

/** A message in a conversation. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

/** Returns the copy that is shown by this message. */
export async function findCardCopy(
  db: Db,
  approvalId: string,
  { conversationId, messageId }: MessageRef,
  showing: Showing = 'alone',
): Promise<CardCopy | undefined> {
  const row = await db
    .selectFrom('approval_card')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .select('outbox.id')
    .where('approval_id', '=', approvalId)
    .where('is_batch', '=', showing === 'batch')
    .where('outbox.conversation_id', '=', conversationId)
    .where(isMessage(messageId))
    .orderBy('outbox.id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : { outboxId: row.id, conversationId }
}

/** Returns conversations in which a copy of the card is or will be shown. */
export async function findCardConversations(
  db: Db,
  approvalId: string,
): Promise<readonly string[]> {
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

/** Returns pending approvals of other conversations that are shown in this one, or whose caller is one of `callerIds`. */
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
 * Returns pending approvals that nobody has been shown and whose card is not on its way to the requesting conversation:
 * every copy was given up, or none was sent within `waitMs`.
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

/** Selects the approval whose own card is shown by this message or by one of its parts. */
export function approvalsShownBy(db: Db, conversationId: string, externalMessageId: string) {
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
