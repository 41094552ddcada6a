import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { questionsShownBy } from './card-copies.ts'

const now = sql<Date>`now()`

/**
 * Ends the wait for a denial's reason, once: undefined when it was over before, so that of a reply and the sweeper one gets
 * it. `onlyOpen`: only while the reason may still be given, by the database's clock.
 */
export function endReasonWait(
  db: Db,
  id: string,
  end: { readonly onlyOpen?: boolean; readonly reason?: string } = {},
): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({ reason_until: null, reason: end.reason ?? null })
    .where('id', '=', id)
    .where('state', '=', sql.lit('denied'))
    .where('reason_until', 'is not', null)
    .$if(end.onlyOpen === true, (query) => query.where('reason_until', '>', now))
    .returningAll()
    .executeTakeFirst()
}

/** Denials whose reason did not come in time. */
export function findUnexplained(db: Db): Promise<ApprovalRow[]> {
  return db.selectFrom('approval').selectAll().where('reason_until', '<=', now).execute()
}

/** Denials of a turn that wait for their reason. */
export function findExplainingOfTurn(db: Db, turnId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('reason_until', 'is not', null)
    .orderBy('number')
    .execute()
}

/**
 * TG-03: what this caller denied and may still explain, of the questions that were asked in the conversation and whose cards it shows.
 * Where a copy was sent elsewhere, an ordinary message may be meant for a model of its own.
 */
export function findExplainingHere(
  db: Db,
  conversationId: string,
  callerId: string,
): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('reason_until', '>', now)
    .where('decided_by', '=', callerId)
    .where('conversation_id', '=', conversationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('approval_card')
          .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
          .select('outbox.id')
          .whereRef('approval_card.approval_id', '=', 'approval.id')
          .where('outbox.conversation_id', '=', conversationId),
      ),
    )
    .orderBy('number')
    .execute()
}

/** TG-03: what this caller denied and may still explain, if the message is a copy of its card, or a part of one. */
export function findExplaining(
  db: Db,
  conversationId: string,
  callerId: string,
  externalMessageId: string,
): Promise<ApprovalRow | undefined> {
  return questionsShownBy(db, conversationId, externalMessageId)
    .where('approval.reason_until', '>', now)
    .where('approval.decided_by', '=', callerId)
    .executeTakeFirst()
}
