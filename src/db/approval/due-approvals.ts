import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { fromNow } from './approvals.ts'

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
