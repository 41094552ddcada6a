import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { fromNow } from './approvals.ts'
import { approvalsShownBy } from './card-copies.ts'

const now = sql<Date>`now()`

/** Returns pending approvals that have expired. */
export function findExpired(db: Db): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('expires_at', '<=', now)
    .execute()
}

/** Returns pending approvals whose reminder is due and clears the reminder. */
export function takeReminders(db: Db): Promise<ApprovalRow[]> {
  return db
    .updateTable('approval')
    .set({ remind_at: null })
    .where('state', '=', sql.lit('pending'))
    .where('remind_at', '<=', now)
    .returningAll()
    .execute()
}

/**
 * APPR-19: extends an expired pending approval by `ttlMs`, once for each expiry; undefined if it has not expired or has
 * ended.
 */
export function extendApproval(
  db: Db,
  id: string,
  ttlMs: number,
): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({ expires_at: fromNow(ttlMs), remind_at: null })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where('expires_at', '<=', now)
    .returningAll()
    .executeTakeFirst()
}

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

/** Returns pending approvals whose escalation is due; those whose card is still being prepared are left out. */
export function findEscalationsDue(db: Db): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('escalate_at', '<=', now)
    .where('card_outbox_id', 'is not', null)
    .orderBy('escalate_at')
    .execute()
}

/** Returns the approval if its escalation is still due. Call under the session's lock. */
export function findEscalationDue(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where('escalate_at', '<=', now)
    .executeTakeFirst()
}

/** Stores the number of people asked and the milliseconds until the next escalation; undefined means never. */
export async function saveEscalation(
  db: Db,
  id: string,
  escalated: number,
  nextInMs: number | undefined,
): Promise<void> {
  await db
    .updateTable('approval')
    .set({ escalated, escalate_at: nextInMs === undefined ? null : fromNow(nextInMs) })
    .where('id', '=', id)
    .execute()
}

/** Records that a person was asked by name. */
export async function insertAsked(db: Db, approvalId: string, callerId: string): Promise<void> {
  await db
    .insertInto('approval_asked')
    .values({ approval_id: approvalId, caller_id: callerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** APPR-19: escalates approvals at once that were brought to a person who is away; returns their number. */
export async function escalateNow(
  db: Db,
  conversationId: string,
  mostAsked: number,
): Promise<number> {
  const rows = await db
    .updateTable('approval')
    .set({ escalate_at: now })
    .where('state', '=', sql.lit('pending'))
    .where('escalated', '<', mostAsked)
    .where('conversation_id', '!=', conversationId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('approval_card')
        .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
        .select('approval_card.approval_id')
        .where('outbox.conversation_id', '=', conversationId),
    )
    .returning('id')
    .execute()
  return rows.length
}
