import { sql } from 'kysely'
import type { AuditRow, Db } from '../schema.ts'
import { type AuditPosition, resolveNames } from './audit-search.ts'

/** Range of decisions to read, by the database's clock. */
export interface DecidedSpan {
  readonly since: Date | undefined
  readonly until: Date
  /** True to read only calls that the gate or a person denied. */
  readonly isDenied?: boolean
}

/** Returns the last decision on each call within the range, oldest first, in pages. */
export async function findDecided(
  db: Db,
  { since, until, isDenied }: DecidedSpan,
  after: AuditPosition | undefined,
  limit: number,
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_log as d')
    .selectAll('d')
    .where('d.kind', '=', sql.lit('decided'))
    .where('d.at', '<=', until)
    .where(isLast)
    .orderBy('d.at')
    .orderBy('d.id')
    .limit(limit)
  if (isDenied === true) query = query.where(refused)
  if (since !== undefined) query = query.where('d.at', '>=', since)
  if (after !== undefined) {
    const { at, id } = after
    query = query.where('d.at', '>=', at).where(sql<boolean>`(d.at, d.id) > (${at}, ${id})`)
  }
  return resolveNames(db, await query.execute())
}

/** A call that was sent again has several decisions, all within 31 days. */
const isLast = sql<boolean>`not exists (
  select from audit_log later
  where later.call_id = d.call_id and later.kind = 'decided'
    and later.at between d.at and d.at + interval '31 days'
    and (later.at, later.id) > (d.at, d.id)
  offset 0)`

const refused = sql<boolean>`(d.verdict = 'deny' or d.approval_state in ('denied', 'expired'))`

/** Returns conversations by session id, for existing sessions; empty if this role may not read them. */
export async function findConversations(
  db: Db,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (sessions.length === 0 || !(await mayRead(db, 'session'))) return new Map()
  const rows = await db
    .selectFrom('session')
    .select(['id', 'conversation_id'])
    .where('id', '=', sql<string>`any(${sessions}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, conversation_id }) => [id, conversation_id]))
}

/** Returns canonical paths reported by executors, by call id; empty if this role may not read them. */
export async function findCanonical(
  db: Db,
  calls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (calls.length === 0 || !(await mayRead(db, 'tool_call'))) return new Map()
  const rows = await db
    .selectFrom('tool_call')
    .select(['id', 'canonical'])
    .where('id', '=', sql<string>`any(${calls}::uuid[])`)
    .where('canonical', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, canonical }) => [id, canonical ?? '[]']))
}

/** True if this role may read a table. The audit role can read few others. */
export async function mayRead(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege(${table}, 'select') as may`.execute(db)
  return rows[0]?.may === true
}
