import { setTimeout as delay } from 'node:timers/promises'
import { databaseTime } from '../../db/audit/audit-log.ts'
import { type AuditPlace, findFrom } from '../../db/audit/audit-search.ts'
import type { Db } from '../../db/schema.ts'
import { type AuditEntry, entriesInParts, onceEach } from './find-audited.ts'

const pollMs = 1000
/** A row has its time before it is committed: it may appear this much after rows with later times. */
const lateMs = 30_000

/** What was seen: everything before a time, and some rows since. */
export interface Position {
  readonly floor: Date
  readonly seen: ReadonlySet<number>
}

/** Everything that is there, by the clock of the database: a row that claims a later time hides none. */
export async function presentEnd(db: Db): Promise<Position> {
  return (await lookFrom(db)).position
}

/** Whether a row had been there. */
export function wasSeen({ floor, seen }: Position, { at, id }: AuditPlace): boolean {
  return at < floor || seen.has(id)
}

/** What came: calls with all their rows, and which of these are new. */
export interface News {
  readonly entries: readonly AuditEntry[]
  readonly fresh: ReadonlySet<number>
}

/** What comes, every second, until the signal. Reads no more than the last half minute each time. */
export async function* followAudit(
  db: Db,
  start: Position,
  signal: AbortSignal,
): AsyncGenerator<News> {
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
