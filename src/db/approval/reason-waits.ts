import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { approvalsShownBy } from './card-copies.ts'

const now = sql<Date>`now()`

/**
 * Ends the wait for a denial's reason; returns undefined if it had ended, so that either a reply or the sweeper wins.
 * `onlyOpen`: only before `reason_until`, by the database's clock.
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

/** Returns denials whose reason did not arrive in time. */
export function findUnexplained(db: Db): Promise<ApprovalRow[]> {
  return db.selectFrom('approval').selectAll().where('reason_until', '<=', now).execute()
}

/** Returns denials of a turn that wait for a reason. */
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
 * TG-03: returns denials by this caller that may still get a reason, of approvals that were requested and shown in this
 * conversation. Copies elsewhere do not count, because an ordinary message there may be meant for the model.
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

/** TG-03: returns the denial by this caller that a reply to this message may explain. */
export function findExplaining(
  db: Db,
  conversationId: string,
  callerId: string,
  externalMessageId: string,
): Promise<ApprovalRow | undefined> {
  return approvalsShownBy(db, conversationId, externalMessageId)
    .where('approval.reason_until', '>', now)
    .where('approval.decided_by', '=', callerId)
    .executeTakeFirst()
}
