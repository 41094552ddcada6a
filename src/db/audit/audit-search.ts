import { type SelectQueryBuilder, sql } from 'kysely'
import type { AuditRow, Db, Schema } from '../schema.ts'
import { auditKeysOf } from './audit-people.ts'
import { withNames } from './name-people.ts'

/** Which rows are looked for; every part that is given must fit. */
export interface AuditFilter {
  readonly caller?: string
  readonly tool?: string
  readonly verdict?: string
  readonly session?: string
  readonly since?: Date
}

/** Where a row is in the order of time, and which call it is of. */
export type AuditKey = Pick<AuditRow, 'at' | 'id' | 'call_id'>

/** A place between rows. */
export type AuditPlace = Pick<AuditRow, 'at' | 'id'>

/** The newest rows that fit and come before `before`, the newest first. */
export function findNewest(
  db: Db,
  filter: AuditFilter,
  before: AuditPlace | undefined,
  limit: number,
): Promise<AuditKey[]> {
  let query = fitting(db, filter).orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  // The first condition alone tells the server which partitions not to open.
  if (before !== undefined) {
    const { at, id } = before
    query = query.where('at', '<=', at).where(sql<boolean>`(at, id) < (${at}, ${id})`)
  }
  return query.execute()
}

/** The rows that fit and come after `after`, the oldest first. */
export function findOldest(
  db: Db,
  filter: AuditFilter,
  after: AuditPlace | undefined,
  limit: number,
): Promise<AuditKey[]> {
  let query = fitting(db, filter).orderBy('at').orderBy('id').limit(limit)
  if (after !== undefined) {
    const { at, id } = after
    query = query.where('at', '>=', at).where(sql<boolean>`(at, id) > (${at}, ${id})`)
  }
  return query.execute()
}

/** Every row from a time on, the oldest first. */
export function findFrom(db: Db, from: Date): Promise<AuditKey[]> {
  return fitting(db, { since: from }).orderBy('at').orderBy('id').execute()
}

/** All rows of these calls, and those of these rows that are of no call, with people by name; the oldest first. */
export async function findRowsOf(db: Db, keys: readonly AuditKey[]): Promise<AuditRow[]> {
  const calls = new Set(keys.flatMap(({ call_id }) => call_id ?? []))
  const others = keys.filter(({ call_id }) => call_id === null)
  const [ofCalls, single] = await Promise.all([
    calls.size === 0 ? [] : rowsOfCalls(db, [...calls]),
    others.length === 0 ? [] : rowsAt(db, others),
  ])
  return (await withNames(db, [...ofCalls, ...single])).sort(inOrder)
}

/** By time, then by number. */
export function inOrder(a: AuditPlace, b: AuditPlace): number {
  return a.at.getTime() - b.at.getTime() || a.id - b.id
}

function fitting(db: Db, filter: AuditFilter): SelectQueryBuilder<Schema, 'audit_log', AuditKey> {
  let query = db.selectFrom('audit_log').select(['at', 'id', 'call_id'])
  if (filter.caller !== undefined)
    query = query.where('caller_id', '=', auditKeysOf([filter.caller]))
  if (filter.tool !== undefined) query = query.where('tool', '=', filter.tool)
  if (filter.verdict !== undefined) query = query.where('verdict', '=', filter.verdict)
  if (filter.session !== undefined) query = query.where('session_id', '=', filter.session)
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since)
  return query
}

function rowsOfCalls(db: Db, calls: readonly string[]): Promise<AuditRow[]> {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('call_id', '=', sql<string>`any(${calls}::uuid[])`)
    .execute()
}

async function rowsAt(db: Db, places: readonly AuditPlace[]): Promise<AuditRow[]> {
  const times = places.map(({ at }) => at)
  const wanted = new Set(places.map(({ id }) => id))
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('at', '=', sql<Date>`any(${times}::timestamptz[])`)
    .where('id', '=', sql<number>`any(${[...wanted]}::bigint[])`)
    .execute()
  return rows
}
