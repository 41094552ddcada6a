import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Limits of a session's result cache. */
export interface CacheLimits {
  /** Lifetime in milliseconds; 0 for no limit. */
  readonly ttlMs: number
  readonly maxEntries: number
}

/** Cached result: its call, and the state of the files it was made from. */
export interface CachedResult {
  readonly callId: string
  /** undefined if the result does not depend on files. */
  readonly fingerprint: string | undefined
}

const now = sql<Date>`now()`

/**
 * OUT-11: returns the cached result for a key while it is fresh and its full text is kept. Results that depend on files
 * are found only within their turn.
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

/** Caches a call's result under a key and deletes obsolete entries. */
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

/** Change of a session's files: by a call, or by a process that goes on changing them. */
export type FilesChange = 'once' | 'for good'

/** What a statement about a call records with its session. */
interface SessionChange {
  readonly files?: FilesChange | undefined
  /** Replica that has the session's box warm. */
  readonly box?: string
}

/**
 * Begins a statement that also records a change of a call's session. A change of files deletes cached results that depend on
 * them and marks the files as changed now, so that results of earlier calls are not cached. Call under the session's lock.
 */
export function withSessionChange(
  db: Db,
  sessionId: string,
  { files, box }: SessionChange,
): Pick<Db, 'selectNoFrom' | 'updateTable'> {
  if (files === undefined && box === undefined) return db
  const changedAt = files === 'for good' ? sql`'infinity'::timestamptz` : now
  const change = {
    ...(files !== undefined && {
      files_changed_at: sql<never>`greatest(files_changed_at, ${changedAt})`,
    }),
    ...(box !== undefined && { box_replica: box }),
  }
  const recording = db.with('changed_session', (query) =>
    query
      .updateTable('session')
      .set(change)
      .where('id', '=', sessionId)
      .$if(files === undefined, (session) =>
        session.where('box_replica', 'is distinct from', box ?? null),
      ),
  )
  const all =
    files === undefined
      ? recording
      : recording.with('forgotten_results', (query) =>
          query
            .deleteFrom('result_cache')
            .where('session_id', '=', sessionId)
            .where('turn_id', 'is not', null),
        )
  // What the statement does beside it has the tables alone.
  return all as unknown as Db
}

/** Records a change of files by itself. */
export async function recordFilesChange(db: Db, sessionId: string): Promise<void> {
  await withSessionChange(db, sessionId, { files: 'once' }).selectNoFrom(sql`1`.as('one')).execute()
}

/** True if a call that may change files started or ended since this one was sent. */
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

/** Counts calls of a session that were answered from the cache. */
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
