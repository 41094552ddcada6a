import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { fromNow } from './approvals.ts'

const now = sql<Date>`now()`

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
