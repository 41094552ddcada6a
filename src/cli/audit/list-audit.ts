import { type CommandInput, openStandaloneDatabase } from '../../app/with-database.ts'
import type { AuditFilter } from '../../db/audit/audit-search.ts'
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
} from './find-audited.ts'
import { followAudit, type News, type Position, presentEnd, wasSeen } from './follow-audit.ts'

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
