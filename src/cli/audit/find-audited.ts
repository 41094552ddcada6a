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

/** Rows found at once; and calls read at once, which bounds what is in memory, however many there are. */
const mostRows = 1000
const fewRows = 100
const mostCalls = 200

/** One row of each of the newest `limit` calls that have a row which fits, the oldest first. */
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

/** Every call that has a row which fits and was written up to now, each once, a few at a time, the oldest first. */
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

/** The first of these rows of each call. */
export function onceEach(keys: readonly AuditKey[]): readonly AuditKey[] {
  const first = new Map<string, AuditKey>()
  for (const key of keys) if (!first.has(keyOf(key))) first.set(keyOf(key), key)
  return [...first.values()]
}

/** The entries that these rows belong to, in the order of the rows. */
async function entriesOf(db: Db, keys: readonly AuditKey[]): Promise<readonly AuditEntry[]> {
  const found = new Map<string, AuditLine[]>(keys.map((key) => [keyOf(key), []]))
  for (const row of await findRowsOf(db, keys)) found.get(keyOf(row))?.push(toLine(row))
  return [...found.values()].map((lines) => ({ lines }))
}

/** The same, a few at a time, which bounds what is in memory. Each call is to be named once. */
export async function* entriesInParts(
  db: Db,
  keys: readonly AuditKey[],
): AsyncGenerator<readonly AuditEntry[]> {
  for (let start = 0; start < keys.length; start += mostCalls) {
    yield await entriesOf(db, keys.slice(start, start + mostCalls))
  }
}

/** Whether one of an entry's rows fits the filter. */
export function fitsFilter({ lines }: AuditEntry, filter: AuditFilter): boolean {
  return lines.some(({ row }) => fits(row, filter))
}

/** A call is shown where its first row stands that fits, and not again where others do. */
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

/** Who can write to the database may have put anything there. */
function fieldsOf(body: string): AuditLine['fields'] {
  try {
    return storedFields.parse(JSON.parse(body))
  } catch {
    return {}
  }
}

/** Lines of several entries by time. */
export function linesOf(entries: readonly AuditEntry[]): readonly AuditLine[] {
  return entries.flatMap(({ lines }) => lines).sort(compareRows)
}
