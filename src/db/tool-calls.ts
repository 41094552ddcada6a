import type { Insertable, Updateable } from 'kysely'
import { sql } from 'kysely'
import { openCallStates } from '../domain/tool-call.ts'
import { literals } from './literals.ts'
import type { Db, Schema, ToolCallRow } from './schema.ts'
import { hasLiveReplica, hasLiveWorker, hasReplicaWithin } from './workers.ts'

const now = sql<Date>`now()`
const openStates = literals(openCallStates)
const atWorker = literals(['queued', 'running'])
/** Told as interrupted since its replica was not heard of: it may still run. */
const isUnheard = sql<boolean>`state = 'interrupted' and cancel_requested_at is not null`

export type NewToolCall = Omit<Insertable<Schema['tool_call']>, 'settled_at'>
export type ToolCallChange = Updateable<Schema['tool_call']>

/** A statement holds 65,535 values at most. */
const rowsAtOnce = 1_000

/** Adds the calls of one batch; those that are refused from the start are settled now. */
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

/** Gives a call its next attempt, about to be sent to a worker, and keeps the judgement that sent it. */
export function markQueued(
  db: Db,
  id: string,
  sent: { readonly driver: string; readonly verdict: string },
): Promise<ToolCallRow> {
  return db
    .updateTable('tool_call')
    .set((eb) => ({
      state: 'queued',
      attempt: eb('attempt', '+', 1),
      sends: 0,
      sent_at: now,
      queued_at: now,
      ...sent,
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function findCall(db: Db, id: string): Promise<ToolCallRow | undefined> {
  return db.selectFrom('tool_call').selectAll().where('id', '=', id).executeTakeFirst()
}

export function getCall(db: Db, id: string): Promise<ToolCallRow> {
  return db.selectFrom('tool_call').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The batch of one step, in the order of the model's message. */
export function findBatch(db: Db, turnId: string, step: number): Promise<ToolCallRow[]> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('step', '=', step)
    .orderBy('ordinal')
    .execute()
}

/** Calls of a turn that are not settled. */
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

/** Whether a mutating call of the session is at a worker now, in whatever turn, or may still run there. */
export async function isMutating(db: Db, sessionId: string): Promise<boolean> {
  const row = await db
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
        .where(isUnheard)
        .where(hasLiveReplica),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
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

/** Settles a call that a worker has, only for the attempt it is at (rule 5); undefined: it came too late. */
export function settleAtWorker(
  db: Db,
  id: string,
  attempt: number,
  change: ToolCallChange,
): Promise<ToolCallRow | undefined> {
  return db
    .updateTable('tool_call')
    .set({ ...change, settled_at: now })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', 'in', atWorker)
    .returningAll()
    .executeTakeFirst()
}

/** Settles a call that no worker has. */
export function settleHere(
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

/** Notes that a call truly started; only the first time, for the attempt it is at. */
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

/** Asks for a cancel of what a worker has of this turn, sent until it is settled (rule 8). Answers whether it has anything. */
export async function requestCancel(db: Db, turnId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tool_call')
    .set({ cancel_requested_at: now })
    .where('turn_id', '=', turnId)
    .where('state', 'in', atWorker)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A call whose worker said nothing, and for how long its attempt has been sent by the database's clock. */
export type SilentCall = ToolCallRow & { readonly queued_for_ms: number }

/**
 * Calls at a living worker whose job was last sent more than `silentMs` ago, up to eight times as long once it was sent
 * often; noted as sent again. A call whose replica died is not waited for so long.
 */
export function takeSilentCalls(db: Db, silentMs: number): Promise<SilentCall[]> {
  const silence = sql<Date>`now() - make_interval(secs => ${silentMs / 1000})`
  const patience = sql<Date>`now() - make_interval(secs => ${silentMs / 1000} * 2 ^ least(sends, 3))`
  return db
    .updateTable('tool_call')
    .set((eb) => ({ sends: eb('sends', '+', 1), sent_at: now }))
    .where('state', 'in', atWorker)
    .where('cancel_requested_at', 'is', null)
    .where(hasLiveWorker)
    .where((eb) =>
      eb.or([
        eb('sent_at', 'is', null),
        eb('sent_at', '<', patience),
        eb.and([
          eb('sent_at', '<', silence),
          eb('replica', 'is not', null),
          eb.not(hasLiveReplica),
        ]),
      ]),
    )
    .returningAll()
    .returning(
      sql<number>`(extract(epoch from now() - queued_at) * 1000)::float8`.as('queued_for_ms'),
    )
    .execute()
}

/**
 * Calls of a worker that has no living replica: those that run, and those that have waited for `graceMs` (cancelled ones
 * need not) and that nobody could begin any more, because the last job sent for them was good for `jobLifetimeMs`.
 */
export function findAbandoned(
  db: Db,
  graceMs: number,
  jobLifetimeMs: number,
): Promise<ToolCallRow[]> {
  const grace = sql<Date>`now() - make_interval(secs => ${graceMs / 1000})`
  const lifetime = sql<Date>`now() - make_interval(secs => ${jobLifetimeMs / 1000})`
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('state', 'in', atWorker)
    .where((eb) => eb.not(hasLiveWorker))
    .where((eb) =>
      eb.or([
        eb('state', '=', 'running'),
        eb.and([
          eb.or([eb('cancel_requested_at', 'is not', null), eb('queued_at', '<', grace)]),
          eb.or([eb('sent_at', 'is', null), eb('sent_at', '<', lifetime)]),
        ]),
      ]),
    )
    .execute()
}

/** Calls that shall be cancelled: at a worker and not settled, or settled unheard by a replica that is there again. */
export function findCancelling(db: Db, turnId?: string): Promise<ToolCallRow[]> {
  const all = db
    .selectFrom('tool_call')
    .selectAll()
    .where('state', 'in', atWorker)
    .where('cancel_requested_at', 'is not', null)
  if (turnId !== undefined) return all.where('turn_id', '=', turnId).execute()
  const unheard = db.selectFrom('tool_call').selectAll().where(isUnheard).where(hasLiveReplica)
  return all.unionAll(unheard).execute()
}

/** Cancels no more what a replica had that was silent for so long; answers the sessions. */
export async function forgetUnheard(db: Db, silentMs: number): Promise<readonly string[]> {
  const rows = await db
    .updateTable('tool_call')
    .set({ cancel_requested_at: null })
    .where(isUnheard)
    .where((eb) => eb.not(hasReplicaWithin(silentMs)))
    .returning('session_id')
    .execute()
  return [...new Set(rows.map((row) => row.session_id))]
}

/** For a start that knows that nobody else lives: every job is lost, send them all again. */
export async function forgetSends(db: Db): Promise<void> {
  await db.updateTable('tool_call').set({ sent_at: null }).where('state', 'in', atWorker).execute()
}

/** Previews that were wanted, with the question they belong to, more than `silentMs` ago and never came. */
export function findLatePreviews(db: Db, silentMs: number): Promise<ToolCallRow[]> {
  return db
    .selectFrom('tool_call')
    .innerJoin('approval', 'approval.call_id', 'tool_call.id')
    .selectAll('tool_call')
    .where('tool_call.state', '=', 'awaiting_approval')
    .where('preview', '=', sql.lit('wanted'))
    .where('approval.state', '=', 'pending')
    .where('approval.created_at', '<', sql<Date>`now() - make_interval(secs => ${silentMs / 1000})`)
    .execute()
}
