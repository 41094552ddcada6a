import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { auditKeysOf } from './audit-people.ts'

const isFeedback = sql<boolean>`kind = 'feedback'`

/** What a person said of a turn's answer, the last first, at most `limit`. `since`: when the turn began. */
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

/** How much a person said of answers within a minute. */
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
