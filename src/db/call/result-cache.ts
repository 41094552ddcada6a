import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** How long and how much a session remembers. */
export interface CacheLimits {
  /** In milliseconds; 0: no end. */
  readonly ttlMs: number
  readonly maxEntries: number
}

/** A result that is remembered: of which call, and of files in which state. */
export interface CachedResult {
  readonly callId: string
  /** undefined: it was not made from files. */
  readonly fingerprint: string | undefined
}

const now = sql<Date>`now()`

/**
 * OUT-11: what a session remembers by a key, as long as it lives, and as the whole text of it is kept. What was made from files is
 * found within its turn alone.
 */
export async function findCachedResult(
  db: Db,
  of: { readonly sessionId: string; readonly turnId: string; readonly key: string },
  ttlMs: number,
  retentionDays: number,
): Promise<CachedResult | undefined> {
  const row = await db
    .selectFrom('result_cache')
    .select(['call_id', 'fingerprint'])
    .where('session_id', '=', of.sessionId)
    .where('key', '=', of.key)
    .where((eb) => eb.or([eb('turn_id', 'is', null), eb('turn_id', '=', of.turnId)]))
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${retentionDays})`)
    .$if(ttlMs > 0, (query) => query.where('created_at', '>', since(ttlMs)))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { callId: row.call_id, fingerprint: row.fingerprint ?? undefined }
}

/** Remembers a call's result, in the place of an older one by the same key; forgets what is of no more use. */
export async function saveCachedResult(
  db: Db,
  entry: {
    readonly sessionId: string
    readonly turnId: string
    readonly key: string
    readonly result: CachedResult
  },
  { ttlMs, maxEntries }: CacheLimits,
): Promise<void> {
  const { callId, fingerprint } = entry.result
  const made = {
    call_id: callId,
    turn_id: fingerprint === undefined ? null : entry.turnId,
    fingerprint: fingerprint ?? null,
  }
  await db
    .insertInto('result_cache')
    .values({ session_id: entry.sessionId, key: entry.key, ...made })
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'key']).doUpdateSet({ ...made, created_at: now }),
    )
    .execute()
  await db
    .deleteFrom('result_cache')
    .where('session_id', '=', entry.sessionId)
    .where((eb) =>
      eb.or([
        eb('turn_id', '!=', entry.turnId),
        ...(ttlMs > 0 ? [eb('created_at', '<=', since(ttlMs))] : []),
        eb('key', 'in', oldest(db, entry.sessionId, maxEntries)),
      ]),
    )
    .execute()
}

function oldest(db: Db, sessionId: string, maxEntries: number) {
  return db
    .selectFrom('result_cache as older')
    .select('older.key')
    .where('older.session_id', '=', sessionId)
    .orderBy('older.created_at', 'desc')
    .orderBy('older.call_id', 'desc')
    .offset(maxEntries)
}

function since(ttlMs: number) {
  return sql<Date>`now() - make_interval(secs => ${ttlMs / 1_000})`
}

/**
 * Forgets what a session remembers of files, and that they change now: what was begun before is not remembered. `forGood`: something
 * was started that goes on changing them. Call under the session's lock.
 */
export async function noteFilesChange(db: Db, sessionId: string, forGood: boolean): Promise<void> {
  const moment = forGood ? sql`'infinity'::timestamptz` : now
  await sql`
    with forgotten as (
      delete from result_cache where session_id = ${sessionId} and turn_id is not null
    )
    update session set files_changed_at = greatest(files_changed_at, ${moment})
    where id = ${sessionId}`.execute(db)
}

/** Whether a call that may change files began or ended since this one was sent. */
export async function filesChangedSince(db: Db, callId: string): Promise<boolean> {
  const row = await db
    .selectFrom('tool_call')
    .innerJoin('session', 'session.id', 'tool_call.session_id')
    .select('tool_call.id')
    .where('tool_call.id', '=', callId)
    .where(sql<boolean>`session.files_changed_at >= tool_call.queued_at`)
    .executeTakeFirst()
  return row !== undefined
}

/** How many calls of a session were answered from what it remembered. */
export async function countCached(db: Db, sessionId: string): Promise<number> {
  const { calls } = await db
    .selectFrom('tool_call')
    .select(sql<number>`count(*)::int`.as('calls'))
    .where('session_id', '=', sessionId)
    .where('cached_from', 'is not', null)
    .where('settled_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return calls
}
