import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { auditKeysOf } from './audit-people.ts'

const isFeedback = sql<boolean>`kind = 'feedback'`

/**
 * Returns ratings of a turn's answer by one person, latest first. `since`: start of the turn, which limits the partitions
 * read.
 */
export async function findVerdicts(
  db: Db,
  of: { readonly turnId: string; readonly callerId: string; readonly since: Date },
  limit: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('audit_log')
    .select(sql<string>`audit_body(body) ->> 'note'`.as('verdict'))
    .where(isFeedback)
    .where('at', '>=', of.since)
    .where('turn_id', '=', of.turnId)
    .where('caller_id', '=', auditKeysOf([of.callerId]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ verdict }) => verdict)
}

/** Counts a person's ratings within the last minute. */
export async function countVerdicts(db: Db, callerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('audit_log')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isFeedback)
    .where('at', '>', sql<Date>`now() - interval '1 minute'`)
    .where('caller_id', '=', auditKeysOf([callerId]))
    .executeTakeFirstOrThrow()
  return Number(count)
}
