import { z } from 'zod'
import { databaseTime } from '../../db/audit/audit-log.ts'
import {
  type AuditFilter,
  type AuditKey,
  type AuditPosition,
  compareRows,
  findNewest,
  findOldest,
  findRowsOf,
} from '../../db/audit/audit-search.ts'
import type { AuditRow, Db } from '../../db/schema.ts'

/** Audit row for display. */
export interface AuditLine {
  readonly id: number
  readonly at: Date
  readonly kind: string
  /** Fields of the row by name; empty if its body is not JSON. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly row: AuditRow
}

/** Rows of one call, oldest first, or a single row without a call. */
export interface AuditEntry {
  readonly lines: readonly AuditLine[]
}

/** Page sizes, which bound memory: rows found, and calls read. */
const mostRows = 1000
const fewRows = 100
const mostCalls = 200

/** Returns one row of each of the newest `limit` calls that have a matching row, oldest first. */
export async function newestCalls(
  db: Db,
  filter: AuditFilter,
  limit: number,
): Promise<readonly AuditKey[]> {
  const keys = new Map<string, AuditKey>()
  const rows = Math.min(Math.max(limit, fewRows), mostRows)
  let before: AuditPosition | undefined
  while (keys.size < limit) {
    const page = await findNewest(db, filter, before, rows)
    for (const row of page) if (keys.size < limit) keys.set(keyOf(row), row)
    if (page.length < rows) break
    before = page.at(-1)
  }
  return [...keys.values()].reverse()
}

/** Yields every call with a matching row written until now, once, in small groups, oldest first. */
export async function* allCalls(
  db: Db,
  filter: AuditFilter,
): AsyncGenerator<readonly AuditEntry[]> {
  const until = await databaseTime(db)
  let after: AuditPosition | undefined
  for (;;) {
    const page = await findOldest(db, filter, after, mostRows)
    const keys = page.filter(({ at }) => at <= until)
    const ids = new Set(keys.map(({ id }) => id))
    for await (const entries of entriesInParts(db, onceEach(keys))) {
      yield entries.filter((entry) => beginsAmong(ids, entry, filter))
    }
    if (keys.length < mostRows) return
    after = keys.at(-1)
  }
}

/** Returns the first row of each call. */
export function onceEach(keys: readonly AuditKey[]): readonly AuditKey[] {
  const first = new Map<string, AuditKey>()
  for (const key of keys) if (!first.has(keyOf(key))) first.set(keyOf(key), key)
  return [...first.values()]
}

/** Reads the entries of these rows, in the order of the rows. */
async function entriesOf(db: Db, keys: readonly AuditKey[]): Promise<readonly AuditEntry[]> {
  const found = new Map<string, AuditLine[]>(keys.map((key) => [keyOf(key), []]))
  for (const row of await findRowsOf(db, keys)) found.get(keyOf(row))?.push(toLine(row))
  return [...found.values()].map((lines) => ({ lines }))
}

/** Reads entries in small groups, which bounds memory. Each call may occur once. */
export async function* entriesInParts(
  db: Db,
  keys: readonly AuditKey[],
): AsyncGenerator<readonly AuditEntry[]> {
  for (let start = 0; start < keys.length; start += mostCalls) {
    yield await entriesOf(db, keys.slice(start, start + mostCalls))
  }
}

/** True if one of the entry's rows matches the filter. */
export function fitsFilter({ lines }: AuditEntry, filter: AuditFilter): boolean {
  return lines.some(({ row }) => fits(row, filter))
}

/** True if the entry's first matching row is among `ids`, so that a call is shown only once. */
function beginsAmong(
  ids: ReadonlySet<number>,
  { lines }: AuditEntry,
  filter: AuditFilter,
): boolean {
  const first = lines.find(({ row }) => fits(row, filter))
  return first !== undefined && ids.has(first.id)
}

function fits(row: AuditRow, filter: AuditFilter): boolean {
  return (
    (filter.caller === undefined || row.caller_id === filter.caller) &&
    (filter.tool === undefined || row.tool === filter.tool) &&
    (filter.verdict === undefined || row.verdict === filter.verdict) &&
    (filter.session === undefined || row.session_id === filter.session) &&
    (filter.since === undefined || row.at >= filter.since)
  )
}

function keyOf({ id, call_id }: Pick<AuditKey, 'id' | 'call_id'>): string {
  return call_id ?? `row ${id}`
}

const storedFields = z.record(z.string(), z.unknown())

function toLine(row: AuditRow): AuditLine {
  return { id: row.id, at: row.at, kind: row.kind, fields: fieldsOf(row.body), row }
}

/** Parses the body; empty if invalid, since a writer to the database may have stored anything. */
function fieldsOf(body: string): AuditLine['fields'] {
  try {
    return storedFields.parse(JSON.parse(body))
  } catch {
    return {}
  }
}

/** Returns the rows of several entries ordered by time. */
export function linesOf(entries: readonly AuditEntry[]): readonly AuditLine[] {
  return entries.flatMap(({ lines }) => lines).sort(compareRows)
}
