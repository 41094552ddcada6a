import { setTimeout as delay } from 'node:timers/promises'
import { type CommandInput, openStandaloneDatabase } from '../../app/with-database.ts'
import { databaseTime } from '../../db/audit/audit-log.ts'
import { type AuditFilter, type AuditPosition, findFrom } from '../../db/audit/audit-search.ts'
import { inSnapshot } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import {
  type AuditEntry,
  type AuditLine,
  allCalls,
  entriesInParts,
  fitsFilter,
  linesOf,
  newestCalls,
  onceEach,
} from './find-audited.ts'

const pollMs = 1000

/** A row has its time before it is committed: it may appear this much after rows with later times. */
const lateMs = 30_000

/** What is to be shown: rows as they are stored, and the same joined a call. */
export interface AuditBatch {
  readonly lines: readonly AuditLine[]
  readonly entries: readonly AuditEntry[]
}

export interface ListAuditInput extends CommandInput {
  readonly filter: AuditFilter
  /** The newest so many calls; all when absent, which cannot be followed. */
  readonly limit?: number
  /** With it, what comes later is shown too, until the signal. */
  readonly follow?: AbortSignal
}

/**
 * AUD-04: the calls that fit, the oldest first, a few at a time. When following, then every second what is new: each row
 * once, and a call when it has ended.
 */
export async function* listAudit(input: ListAuditInput): AsyncGenerator<AuditBatch> {
  await using beside = await openStandaloneDatabase(input)
  const { db } = beside.database
  const { filter, limit, follow } = input
  // What is listed may have a heading, also when nothing fits.
  yield toBatch([])
  if (limit === undefined) {
    for await (const entries of allCalls(db, filter)) yield toBatch(entries)
  } else if (follow === undefined) {
    const keys = await newestCalls(db, filter, limit)
    for await (const entries of entriesInParts(db, keys)) yield toBatch(entries)
  } else yield* listAndFollow(db, filter, limit, follow)
}

async function* listAndFollow(
  db: Db,
  filter: AuditFilter,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<AuditBatch> {
  const { keys, position } = await startReading(db, filter, limit)
  for await (const entries of entriesInParts(db, keys)) {
    yield toBatch(entries.map((entry) => asSeen(entry, position)))
  }
  for await (const news of followAudit(db, position, signal)) {
    yield toNews(news, filter)
  }
}

/** In one view of the database, so that no row is shown twice or missed in between. */
function startReading(db: Db, filter: AuditFilter, limit: number) {
  return inSnapshot(db, async (trx) => ({
    keys: await newestCalls(trx, filter, limit),
    position: await presentEnd(trx),
  }))
}

/** Without what came since: that is shown as it comes. */
function asSeen({ lines }: AuditEntry, position: Position): AuditEntry {
  return { lines: lines.filter((line) => wasSeen(position, line)) }
}

function toNews({ entries, fresh }: News, filter: AuditFilter): AuditBatch {
  const fitting = entries.filter((entry) => fitsFilter(entry, filter))
  return {
    lines: linesOf(fitting).filter(({ id }) => fresh.has(id)),
    entries: fitting.filter((entry) => hasEnded(entry, fresh)),
  }
}

function hasEnded({ lines }: AuditEntry, fresh: ReadonlySet<number>): boolean {
  return lines.some(({ id, kind }) => fresh.has(id) && kind !== 'decided')
}

function toBatch(entries: readonly AuditEntry[]): AuditBatch {
  return { lines: linesOf(entries), entries }
}

/** What was seen: everything before a time, and some rows since. */
interface Position {
  readonly floor: Date
  readonly seen: ReadonlySet<number>
}

/** Everything that is there, by the clock of the database: a row that claims a later time hides none. */
export async function presentEnd(db: Db): Promise<Position> {
  return (await lookFrom(db)).position
}

/** Whether a row had been there. */
export function wasSeen({ floor, seen }: Position, { at, id }: AuditPosition): boolean {
  return at < floor || seen.has(id)
}

/** What came: calls with all their rows, and which of these are new. */
interface News {
  readonly entries: readonly AuditEntry[]
  readonly fresh: ReadonlySet<number>
}

/** What comes, every second, until the signal. Reads no more than the last half minute each time. */
async function* followAudit(db: Db, start: Position, signal: AbortSignal): AsyncGenerator<News> {
  let before = start
  while (await pause(signal)) {
    const { keys, position } = await lookFrom(db, before.floor)
    const news = keys.filter((key) => !wasSeen(before, key))
    before = position
    const fresh = new Set(news.map(({ id }) => id))
    for await (const entries of entriesInParts(db, onceEach(news))) yield { entries, fresh }
  }
}

/** Keeps in mind what was seen for as long as an earlier time may still appear. */
async function lookFrom(db: Db, from?: Date) {
  const now = await databaseTime(db)
  const floor = new Date(now.getTime() - lateMs)
  const keys = await findFrom(db, from ?? floor)
  const seen = new Set(keys.flatMap(({ at, id }) => (at < floor ? [] : [id])))
  return { keys, position: { floor, seen } }
}

/** False when the signal came. */
async function pause(signal: AbortSignal): Promise<boolean> {
  return delay(pollMs, true, { signal }).catch(() => false)
}
