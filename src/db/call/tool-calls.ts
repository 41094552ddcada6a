import type { Insertable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import { openCallStates } from '../../domain/tool/tool-call.ts'
import { literals } from '../literals.ts'
import type { Db, Schema, ToolCallRow } from '../schema.ts'
import { hasLiveReplica } from '../worker/workers.ts'
import { type FilesChange, withSessionChange } from './result-cache.ts'
import { atWorker, isLost } from './silent-calls.ts'

const now = sql<Date>`now()`
const openStates = literals(openCallStates)

export type NewToolCall = Omit<Insertable<Schema['tool_call']>, 'settled_at'>
export type ToolCallChange = Updateable<Schema['tool_call']>

/** A PostgreSQL statement takes at most 65,535 parameters. */
const rowsAtOnce = 1_000

/** Inserts the calls of one batch; refused calls are settled at once. */
export async function insertCalls(db: Db, calls: readonly NewToolCall[]): Promise<ToolCallRow[]> {
  const values = calls.map((call) => ({ ...call, settled_at: isRefused(call) ? now : null }))
  const rows: ToolCallRow[] = []
  for (let start = 0; start < values.length; start += rowsAtOnce) {
    const some = values.slice(start, start + rowsAtOnce)
    rows.push(...(await db.insertInto('tool_call').values(some).returningAll().execute()))
  }
  return rows.sort((a, b) => a.ordinal - b.ordinal)
}

function isRefused(call: NewToolCall): boolean {
  return call.state === 'failed' || call.state === 'denied'
}

/**
 * Starts the next attempt of a call, about to be sent to a worker, and stores the verdict that allowed it. A later
 * approval of the call does not count the editor's vote, since the editor has not seen it (APPR-14). `files`: what it may do
 * to files.
 */
export function markQueued(
  db: Db,
  { id, session_id: sessionId }: Pick<ToolCallRow, 'id' | 'session_id'>,
  files: FilesChange | undefined,
  sent: {
    readonly driver: string
    readonly pin: string | null
    readonly verdict: string
    readonly spent_grants: string | null
    readonly cache_key: string | null
    readonly cached_from: string | null
  },
): Promise<ToolCallRow> {
  return withSessionChange(db, sessionId, { files })
    .updateTable('tool_call')
    .set((eb) => ({
      state: 'queued',
      attempt: eb('attempt', '+', 1),
      sends: 0,
      sent_at: now,
      queued_at: now,
      editor_votes: false,
      ...sent,
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function findCall(db: Db, id: string): Promise<ToolCallRow | undefined> {
  return db.selectFrom('tool_call').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the key of an enrolled replica, with the call of this id, as they were when its message arrived. */
export async function findSender(
  db: Db,
  { worker, replica, callId }: { worker: string; replica: string; callId: string },
): Promise<{ readonly key: string; readonly call: ToolCallRow | undefined } | undefined> {
  const row = await db
    .selectFrom('worker as sender')
    .leftJoin('tool_call', (join) => join.on('tool_call.id', '=', callId))
    .selectAll('tool_call')
    .select('sender.public_key as key')
    .where('sender.name', '=', worker)
    .where('sender.replica', '=', replica)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { key, ...call } = row
  return { key, call: call.id === null ? undefined : (call as ToolCallRow) }
}

/** Call, locked after its session (rule 1), as both are by then. */
export type LockedCall = ToolCallRow & {
  readonly session_is_open: SqlBool
  /** Caller of its turn. */
  readonly caller_id: string
  /** Whether it ever had an approval. */
  readonly was_asked: SqlBool
}

/** Locks a call's session and the call; undefined if it is gone. */
export function lockCall(db: Db, id: string): Promise<LockedCall | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('tool_call', 'tool_call.session_id', 'session.id')
    .innerJoin('turn', 'turn.id', 'tool_call.turn_id')
    .selectAll('tool_call')
    .select((eb) => [
      eb('session.state', '=', sql.lit('open')).as('session_is_open'),
      'turn.caller_id',
      eb
        .exists(
          eb
            .selectFrom('approval')
            .select('approval.id')
            .whereRef('approval.call_id', '=', 'tool_call.id'),
        )
        .as('was_asked'),
    ])
    .where('tool_call.id', '=', id)
    .forNoKeyUpdate(['session', 'tool_call'])
    .executeTakeFirst()
}

export function getCall(db: Db, id: string): Promise<ToolCallRow> {
  return db.selectFrom('tool_call').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Returns the calls of one step, in the order of the model's message. */
export function findBatch(db: Db, turnId: string, step: number): Promise<ToolCallRow[]> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('step', '=', step)
    .orderBy('ordinal')
    .execute()
}

/** Returns the unsettled calls of a turn. */
export function findOpenCalls(db: Db, turnId: string): Promise<ToolCallRow[]> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('state', 'in', openStates)
    .orderBy('step')
    .orderBy('ordinal')
    .execute()
}

/** True if a mutating call of the session, in any turn, is at a worker or may still run there. */
export async function isMutating(db: Db, sessionId: string): Promise<boolean> {
  return (await selectMutating(db, sessionId).limit(1).executeTakeFirst()) !== undefined
}

/** Selects those calls. */
export function selectMutating(db: Db, sessionId: string) {
  return db
    .selectFrom('tool_call')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('mutating', '=', true)
    .where('state', 'in', atWorker)
    .unionAll((eb) =>
      eb
        .selectFrom('tool_call')
        .select('id')
        .where('session_id', '=', sessionId)
        .where('mutating', '=', true)
        .where(isLost)
        .where(hasLiveReplica),
    )
}

export function findCallByNumber(
  db: Db,
  sessionId: string,
  number: number | undefined,
): Promise<ToolCallRow | undefined> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('session_id', '=', sessionId)
    .$if(number !== undefined, (query) => query.where('number', '=', number ?? 0))
    .where('settled_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function updateCall(db: Db, id: string, change: ToolCallChange): Promise<ToolCallRow> {
  return db
    .updateTable('tool_call')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the verdicts of a session's calls that are allowed and not sent yet. */
export async function findUnsentVerdicts(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tool_call')
    .select('verdict')
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('allowed'))
    .execute()
  return rows.map(({ verdict }) => verdict)
}

/**
 * Settles a call at a worker, only for its current attempt (rule 5); undefined if the result came too late. Its replica has
 * the session's box warm from now on. `ranMs`: duration of the run, from which the start time is derived if the start message
 * was overtaken; 0 if it never ran. Call under the session's lock.
 */
export function settleAtWorker(
  db: Db,
  { id, session_id: sessionId, attempt, mutating }: ToolCallRow,
  { ranMs, ...change }: ToolCallChange & { readonly ranMs: number; readonly replica: string },
): Promise<ToolCallRow | undefined> {
  const beganAt = sql<Date>`case when state = 'running' then started_at
    else now() - make_interval(secs => ${ranMs / 1000}) end`
  const files = mutating ? 'once' : undefined
  return withSessionChange(db, sessionId, { files, box: change.replica })
    .updateTable('tool_call')
    .set({ ...change, settled_at: now, ...(ranMs > 0 && { started_at: beganAt }) })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', 'in', atWorker)
    .returningAll()
    .executeTakeFirst()
}

/** Settles a call that no worker has. */
export function settleWithoutWorker(
  db: Db,
  id: string,
  change: ToolCallChange,
): Promise<ToolCallRow | undefined> {
  return db
    .updateTable('tool_call')
    .set({ ...change, settled_at: now })
    .where('id', '=', id)
    .where('state', 'in', literals(['awaiting_approval', 'allowed']))
    .returningAll()
    .executeTakeFirst()
}

/** Records that a late result of this attempt was audited; false if one was before. */
export async function recordLate(db: Db, id: string, attempt: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tool_call')
    .set({ late_attempt: attempt })
    .where('id', '=', id)
    .where('late_attempt', '<', attempt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a queued call as running, only for its current attempt. */
export function markRunning(
  db: Db,
  id: string,
  attempt: number,
  replica: string,
): Promise<ToolCallRow | undefined> {
  return db
    .updateTable('tool_call')
    .set({ state: 'running', started_at: now, replica })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', sql.lit('queued'))
    .returningAll()
    .executeTakeFirst()
}

/** Requests cancellation of the turn's calls at workers, repeated until they are settled (rule 8); false if there are none. */
export async function requestCancel(db: Db, turnId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tool_call')
    .set({ cancel_requested_at: now })
    .where('turn_id', '=', turnId)
    .where('state', 'in', atWorker)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** True if any call of a conversation may have changed something. */
export async function hasWritten(db: Db, conversationId: string): Promise<boolean> {
  const found = await db
    .selectFrom('tool_call')
    .innerJoin('session', 'session.id', 'tool_call.session_id')
    .select('tool_call.id')
    .where('session.conversation_id', '=', conversationId)
    .where('tool_call.mutating', '=', true)
    .where('tool_call.queued_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
