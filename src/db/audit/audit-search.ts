import { type SelectQueryBuilder, sql } from 'kysely'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { AuditRow, Db, Schema } from '../schema.ts'
import { auditKeysOf, findAuditNames } from './audit-people.ts'

const pseudonym = /person:[0-9a-f]{40}/gu

const personal: ReadonlySet<string> = new Set(['caller_id', 'decided_by', 'note'])

/** Filter of audit rows; all given fields must match. */
export interface AuditFilter {
  readonly caller?: string
  readonly tool?: string
  readonly verdict?: string
  readonly session?: string
  readonly since?: Date
}

/** Position of a row in time order, and its call. */
export type AuditKey = Pick<AuditRow, 'at' | 'id' | 'call_id'>

/** Position between rows. */
export type AuditPosition = Pick<AuditRow, 'at' | 'id'>

/** Returns matching rows before `before`, newest first. */
export function findNewest(
  db: Db,
  filter: AuditFilter,
  before: AuditPosition | undefined,
  limit: number,
): Promise<AuditKey[]> {
  let query = matchingRows(db, filter).orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  // Only the first condition lets the planner prune partitions.
  if (before !== undefined) {
    const { at, id } = before
    query = query.where('at', '<=', at).where(sql<boolean>`(at, id) < (${at}, ${id})`)
  }
  return query.execute()
}

/** Returns matching rows after `after`, oldest first. */
export function findOldest(
  db: Db,
  filter: AuditFilter,
  after: AuditPosition | undefined,
  limit: number,
): Promise<AuditKey[]> {
  let query = matchingRows(db, filter).orderBy('at').orderBy('id').limit(limit)
  if (after !== undefined) {
    const { at, id } = after
    query = query.where('at', '>=', at).where(sql<boolean>`(at, id) > (${at}, ${id})`)
  }
  return query.execute()
}

/** Returns all rows since a time, oldest first. */
export function findFrom(db: Db, from: Date): Promise<AuditKey[]> {
  return matchingRows(db, { since: from }).orderBy('at').orderBy('id').execute()
}

/** Returns all rows of the keys' calls, and the keyed rows without a call, with names of people resolved; oldest first. */
export async function findRowsOf(db: Db, keys: readonly AuditKey[]): Promise<AuditRow[]> {
  const calls = new Set(keys.flatMap(({ call_id }) => call_id ?? []))
  const others = keys.filter(({ call_id }) => call_id === null)
  const [ofCalls, single] = await Promise.all([
    calls.size === 0 ? [] : rowsOfCalls(db, [...calls]),
    others.length === 0 ? [] : rowsAt(db, others),
  ])
  return (await resolveNames(db, [...ofCalls, ...single])).sort(compareRows)
}

/** Compares rows by time, then by id. */
export function compareRows(a: AuditPosition, b: AuditPosition): number {
  return a.at.getTime() - b.at.getTime() || a.id - b.id
}

function matchingRows(
  db: Db,
  filter: AuditFilter,
): SelectQueryBuilder<Schema, 'audit_log', AuditKey> {
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

async function rowsAt(db: Db, positions: readonly AuditPosition[]): Promise<AuditRow[]> {
  const times = positions.map(({ at }) => at)
  const wanted = new Set(positions.map(({ id }) => id))
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('at', '=', sql<Date>`any(${times}::timestamptz[])`)
    .where('id', '=', sql<number>`any(${[...wanted]}::bigint[])`)
    .execute()
  return rows
}

/**
 * Replaces pseudonyms by caller ids in the columns and in the `caller_id`, `decided_by` and `note` of the body.
 * Pseudonyms of forgotten people stay.
 */
export async function resolveNames(db: Db, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const aliases = new Set(rows.flatMap(({ body }) => body.match(pseudonym) ?? []))
  const names = await findAuditNames(db, [...aliases])
  if (names.size === 0) return [...rows]
  const named = (text: string) => text.replace(pseudonym, (alias) => names.get(alias) ?? alias)
  return rows.map((row) => ({
    ...row,
    caller_id: row.caller_id === null ? null : named(row.caller_id),
    decided_by: row.decided_by === null ? null : named(row.decided_by),
    body: resolveNamesIn(row.body, named),
  }))
}

/**
 * Replaces pseudonyms in the JSON body. Text that is not a JSON object is returned unchanged, since a writer to the
 * database may have stored anything.
 */
function resolveNamesIn(body: string, named: (text: string) => string): string {
  const fields = tryParseJson(body)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return body
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, personal.has(name) && typeof value === 'string' ? named(value) : value]
  })
  return JSON.stringify(Object.fromEntries(entries))
}
