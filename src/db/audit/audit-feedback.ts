import { sql } from 'kysely'
import type { AuditRow, Db } from '../schema.ts'
import { auditKeysOf } from './audit-people.ts'
import type { AuditPosition } from './audit-search.ts'

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

export type ShadowedRow = Pick<AuditRow, 'at' | 'id' | 'call_id' | 'body'>

/** Returns gate decisions since a time on which the shadow rules differed, after `after`, oldest first. */
export async function findShadowed(
  db: Db,
  since: Date,
  after: AuditPosition | undefined,
  limit: number,
): Promise<readonly ShadowedRow[]> {
  let query = db
    .selectFrom('audit_log')
    .select(['at', 'id', 'call_id', 'body'])
    .where('kind', '=', 'decided')
    .where('at', '>=', since)
    .where(sql<boolean>`audit_body(body) ->> 'shadow' is not null`)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
  if (after !== undefined) {
    const { at, id } = after
    query = query.where('at', '>=', at).where(sql<boolean>`(at, id) > (${at}, ${id})`)
  }
  return await query.execute()
}

/** Counts calls that the gate decided on since a time. */
export async function countDecided(db: Db, since: Date): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select count(distinct call_id) as calls from audit_log
    where kind = 'decided' and at >= ${since}`.execute(db)
  return rows[0]?.calls ?? 0
}
