import { z } from 'zod'
import type { AuditFilter } from '../db/audit-log.ts'
import type { AuditRow, Db } from '../db/schema.ts'

/** A row of the audit as it is shown. */
export interface AuditLine {
  readonly id: number
  readonly at: Date
  readonly kind: string
  /** What the row says, by its names in the audit; empty when its text is not JSON. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly row: AuditRow
}

/** The rows of one call, oldest first; or the one row of what was no call. */
export interface AuditEntry {
  readonly lines: readonly AuditLine[]
}

/** The newest `limit` calls that have a row which fits, with all their rows; the oldest call first. */
export async function findAudited(db: Db, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const keys = new Map<string, Key>()
  let before = Number.MAX_SAFE_INTEGER
  while (keys.size < filter.limit) {
    const page = await newestRows(db, filter, before)
    for (const row of page) if (keys.size < filter.limit) keys.set(keyOf(row), row)
    if (page.length < pageSize) break
    before = page.at(-1)?.id ?? 0
  }
  return entriesOf(db, [...keys.values()].reverse())
}

/** The entries that these rows belong to, in the order of the rows. */
export async function entriesOf(db: Db, keys: readonly Key[]): Promise<readonly AuditEntry[]> {
  const found = new Map<string, AuditLine[]>(keys.map((key) => [keyOf(key), []]))
  const once = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
  for (let start = 0; start < once.length; start += pageSize) {
    for (const row of await rowsOf(db, once.slice(start, start + pageSize))) {
      found.get(keyOf(row))?.push(toLine(row))
    }
  }
  return [...found.values()].map((lines) => ({ lines }))
}

/** Whether one of an entry's rows fits the filter. */
export function fitsFilter(entry: AuditEntry, filter: AuditFilter): boolean {
  return entry.lines.some(
    ({ row }) =>
      (filter.caller === undefined || row.caller_id === filter.caller) &&
      (filter.tool === undefined || row.tool === filter.tool) &&
      (filter.verdict === undefined || row.verdict === filter.verdict) &&
      (filter.session === undefined || row.session_id === filter.session) &&
      (filter.since === undefined || row.at >= filter.since),
  )
}

type Key = Pick<AuditRow, 'id' | 'call_id'>

const pageSize = 1000

function keyOf({ id, call_id }: Key): string {
  return call_id ?? `row ${id}`
}

function newestRows(db: Db, filter: AuditFilter, before: number): Promise<Key[]> {
  let query = db
    .selectFrom('audit_log')
    .select(['id', 'call_id'])
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(pageSize)
  if (filter.caller !== undefined) query = query.where('caller_id', '=', filter.caller)
  if (filter.tool !== undefined) query = query.where('tool', '=', filter.tool)
  if (filter.verdict !== undefined) query = query.where('verdict', '=', filter.verdict)
  if (filter.session !== undefined) query = query.where('session_id', '=', filter.session)
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since)
  return query.execute()
}

async function rowsOf(db: Db, keys: readonly Key[]): Promise<AuditRow[]> {
  const calls = keys.flatMap(({ call_id }) => (call_id === null ? [] : [call_id]))
  const others = keys.flatMap(({ id, call_id }) => (call_id === null ? [id] : []))
  if (keys.length === 0) return []
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where((where) =>
      where.or([
        ...(calls.length === 0 ? [] : [where('call_id', 'in', calls)]),
        ...(others.length === 0 ? [] : [where('id', 'in', others)]),
      ]),
    )
    .orderBy('id')
    .execute()
}

const storedFields = z.record(z.string(), z.unknown())

function toLine(row: AuditRow): AuditLine {
  return { id: row.id, at: row.at, kind: row.kind, fields: fieldsOf(row.body), row }
}

/** Who can write to the database may have put anything there. */
function fieldsOf(body: string): AuditLine['fields'] {
  try {
    return storedFields.parse(JSON.parse(body))
  } catch {
    return {}
  }
}
