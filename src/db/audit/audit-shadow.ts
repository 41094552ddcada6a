import { sql } from 'kysely'
import type { AuditRow, Db } from '../schema.ts'
import type { AuditPlace } from './audit-search.ts'

export type ShadowedRow = Pick<AuditRow, 'at' | 'id' | 'call_id' | 'body'>

/** Decisions of the gate since a time of which the shadow rules said another thing, after `after`, the oldest first. */
export async function findShadowed(
  db: Db,
  since: Date,
  after: AuditPlace | undefined,
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

/** How many calls the gate decided on since a time. */
export async function countDecided(db: Db, since: Date): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select count(distinct call_id) as calls from audit_log
    where kind = 'decided' and at >= ${since}`.execute(db)
  return rows[0]?.calls ?? 0
}
