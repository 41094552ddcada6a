import { sql } from 'kysely'
import type { ApprovalRow, Db } from '../schema.ts'
import { fromNow } from './approvals.ts'

const now = sql<Date>`now()`

/** Questions that nobody answered in time. */
export function findExpired(db: Db): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('expires_at', '<=', now)
    .execute()
}

/** Pending approvals whose reminder is due; each is answered once. */
export function takeReminders(db: Db): Promise<ApprovalRow[]> {
  return db
    .updateTable('approval')
    .set({ remind_at: null })
    .where('state', '=', sql.lit('pending'))
    .where('remind_at', '<=', now)
    .returningAll()
    .execute()
}

/** Moves the end of a question that has expired on by `ttlMs`, once a ttl (APPR-19); undefined: it has not, or is over. */
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
