import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { fromNow } from './approvals.ts'

const now = sql<Date>`now()`

/** Questions whose next person is to be asked; those whose card is still being made wait for it. */
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

/** The same one, if it is still due; for whoever holds its session's lock. */
export function findEscalationDue(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where('escalate_at', '<=', now)
    .executeTakeFirst()
}

/** Stores how many were asked so far, and when the next is, in milliseconds; undefined: never. */
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

/** Notes that somebody was asked by name. */
export async function insertAsked(db: Db, approvalId: string, callerId: string): Promise<void> {
  await db
    .insertInto('approval_asked')
    .values({ approval_id: approvalId, caller_id: callerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** APPR-19: whoever is away hands over: of questions that were brought to them the next is asked now. Answers how many. */
export async function handOver(db: Db, conversationId: string, mostAsked: number): Promise<number> {
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
