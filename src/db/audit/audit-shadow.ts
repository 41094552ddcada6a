import { sql } from 'kysely'
import type { AuditRow, Db } from '../schema.ts'
import type { AuditPosition } from './audit-search.ts'

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
