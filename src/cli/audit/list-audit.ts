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

/** Maximum delay of a row. Its time is set before the commit, so it may appear after rows with later times. */
const lateMs = 30_000

/** Rows as stored, and the same rows grouped by call. */
export interface AuditBatch {
  readonly lines: readonly AuditLine[]
  readonly entries: readonly AuditEntry[]
}

export interface ListAuditInput extends CommandInput {
  readonly filter: AuditFilter
  /** Number of newest calls; all if absent, which excludes `follow`. */
  readonly limit?: number
  /** Also yields later rows until this signal aborts. */
  readonly follow?: AbortSignal
}

/**
 * AUD-04: yields matching calls in small groups, oldest first. With `follow`, it then yields new rows every second, and
 * calls when they have ended.
 */
export async function* listAudit(input: ListAuditInput): AsyncGenerator<AuditBatch> {
  await using beside = await openStandaloneDatabase(input)
  const { db } = beside.database
  const { filter, limit, follow } = input
  // An empty batch prints the headings even if nothing matches.
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

/** Uses one snapshot, so that no row is shown twice or missed. */
function startReading(db: Db, filter: AuditFilter, limit: number) {
  return inSnapshot(db, async (trx) => ({
    keys: await newestCalls(trx, filter, limit),
    position: await presentEnd(trx),
  }))
}

/** Drops rows that arrived later, which are shown by following. */
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

/** Read position: everything before `floor`, and the rows in `seen`. */
interface Position {
  readonly floor: Date
  readonly seen: ReadonlySet<number>
}

/** Returns the current end by the database's clock, so that a row with a later time hides no others. */
export async function presentEnd(db: Db): Promise<Position> {
  return (await lookFrom(db)).position
}

/** True if a row was seen at that position. */
export function wasSeen({ floor, seen }: Position, { at, id }: AuditPosition): boolean {
  return at < floor || seen.has(id)
}

/** New rows, with all rows of their calls. */
interface News {
  readonly entries: readonly AuditEntry[]
  readonly fresh: ReadonlySet<number>
}

/** Yields new rows every second until the signal aborts. Each poll reads at most the last half minute. */
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

/** Reads rows from a time on, and remembers those that are young enough for an earlier row to still appear. */
async function lookFrom(db: Db, from?: Date) {
  const now = await databaseTime(db)
  const floor = new Date(now.getTime() - lateMs)
  const keys = await findFrom(db, from ?? floor)
  const seen = new Set(keys.flatMap(({ at, id }) => (at < floor ? [] : [id])))
  return { keys, position: { floor, seen } }
}

/** Waits for the next poll; false if the signal aborted. */
async function pause(signal: AbortSignal): Promise<boolean> {
  return delay(pollMs, true, { signal }).catch(() => false)
}
