import { setTimeout as delay } from 'node:timers/promises'
import type { AuditFilter } from '../db/audit-log.ts'
import type { Db } from '../db/schema.ts'
import {
  type AuditEntry,
  type AuditLine,
  entriesOf,
  findAudited,
  fitsFilter,
} from './find-audited.ts'
import { type CommandInput, openBeside } from './open-beside.ts'

/** What is to be shown: rows as they are stored, and the same joined a call. */
export interface AuditBatch {
  readonly lines: readonly AuditLine[]
  readonly entries: readonly AuditEntry[]
}

export interface ListAuditInput extends CommandInput {
  readonly filter: AuditFilter
  /** With it, what comes later is shown too, until the signal. */
  readonly follow?: AbortSignal
}

/**
 * AUD-04: the newest calls that fit, the oldest first. When following, then every second what is new: each row once,
 * and a call when it has ended.
 */
export async function* listAudit(input: ListAuditInput): AsyncGenerator<AuditBatch> {
  await using beside = await openBeside(input)
  const { db } = beside.database
  const { filter, follow } = input
  const { entries: first, position } = await startReading(db, filter)
  yield toBatch(first)
  if (follow === undefined) return
  for await (const lines of newRows(db, position, follow)) {
    const rows = lines.map(({ row }) => row)
    const all = await entriesOf(db, rows)
    const entries = all.filter((entry) => fitsFilter(entry, filter))
    const fitting = new Set(entries.flatMap((entry) => entry.lines.map(({ id }) => id)))
    yield {
      lines: lines.filter(({ id }) => fitting.has(id)),
      entries: entries.filter((entry) => hasEnded(entry, lines)),
    }
  }
}

const pollMs = 1000
/** Rows are numbered before they are committed: one may appear this much after rows with higher numbers. */
const lateMs = 30_000

interface Position {
  /** Everything up to here was seen. */
  readonly floor: number
  /** Beyond the floor. */
  readonly seen: ReadonlySet<number>
}

/** In one view of the database, so that no row is shown twice or missed in between. */
function startReading(db: Db, filter: AuditFilter) {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (view) => ({
      entries: await findAudited(view, filter),
      position: await presentEnd(view),
    }))
}

async function presentEnd(db: Db): Promise<Position> {
  const numbered = db.selectFrom('audit_log').select(['id', 'at'])
  const last = await numbered.orderBy('id', 'desc').limit(1).executeTakeFirst()
  if (last === undefined) return { floor: 0, seen: new Set() }
  const late = new Date(last.at.getTime() - lateMs)
  const recent = await numbered.where('at', '>=', late).execute()
  const ids = recent.map(({ id }) => id)
  return { floor: Math.min(last.id, ...ids) - 1, seen: new Set([last.id, ...ids]) }
}

async function* newRows(
  db: Db,
  start: Position,
  signal: AbortSignal,
): AsyncGenerator<readonly AuditLine[]> {
  let position = start
  while (await pause(signal)) {
    const rows = await db
      .selectFrom('audit_log')
      .select(['id', 'call_id', 'at'])
      .where('id', '>', position.floor)
      .orderBy('id')
      .execute()
    const { seen } = position
    const fresh = rows.filter(({ id }) => !seen.has(id))
    position = advance(position, rows)
    if (fresh.length === 0) continue
    const isFresh = new Set(fresh.map(({ id }) => id))
    const lines = (await entriesOf(db, fresh)).flatMap((entry) => entry.lines)
    yield lines.filter(({ id }) => isFresh.has(id)).sort((a, b) => a.id - b.id)
  }
}

/** Keeps in mind what was seen for as long as an earlier number may still appear. */
function advance(
  position: Position,
  rows: readonly { readonly id: number; readonly at: Date }[],
): Position {
  const newest = Math.max(0, ...rows.map(({ at }) => at.getTime()))
  const old = rows.filter(({ at }) => at.getTime() < newest - lateMs)
  const floor = Math.max(position.floor, ...old.map(({ id }) => id))
  return { floor, seen: new Set(rows.map(({ id }) => id).filter((id) => id > floor)) }
}

function hasEnded(entry: AuditEntry, fresh: readonly AuditLine[]): boolean {
  const ids = new Set(fresh.map(({ id }) => id))
  return entry.lines.some(({ id, kind }) => ids.has(id) && kind !== 'decided')
}

function toBatch(entries: readonly AuditEntry[]): AuditBatch {
  const lines = entries.flatMap((entry) => entry.lines).sort((a, b) => a.id - b.id)
  return { lines, entries }
}

/** False when the signal came. */
async function pause(signal: AbortSignal): Promise<boolean> {
  return delay(pollMs, true, { signal }).catch(() => false)
}
