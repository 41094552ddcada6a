import { sql } from 'kysely'
import type { Db, ToolCallRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'
import { hasLiveReplica, hasLiveWorker, hasReplicaWithin } from '../worker/workers.ts'
import { atWorker, isUnheard } from './call-conditions.ts'

const now = sql<Date>`now()`

/** For how long the attempt that a call is at has been sent, in milliseconds of the database's clock. */
export async function queuedForMs(db: Db, id: string): Promise<number> {
  const row = await db
    .selectFrom('tool_call')
    .select(forMs.as('ms'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.ms ?? 0
}

const forMs = sql<number>`(extract(epoch from now() - queued_at) * 1000)::float8`

/** A call whose worker said nothing, and for how long its attempt has been sent by the database's clock. */
export type SilentCall = ToolCallRow & { readonly queued_for_ms: number }

/**
 * Calls at a living worker whose job was last sent more than `silentMs` ago, up to eight times as long once it was sent
 * often; noted as sent again. A call whose replica died is not waited for so long.
 */
export function takeSilentCalls(db: Db, silentMs: number): Promise<SilentCall[]> {
  const silence = ago(silentMs)
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
    .returning(forMs.as('queued_for_ms'))
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
  const grace = ago(graceMs)
  const lifetime = ago(jobLifetimeMs)
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

/** A call and the number of the question about it that waits. */
export type QuestionedCall = ToolCallRow & { readonly question: number }

/** Previews that were wanted, with the question they belong to, more than `silentMs` ago and never came. */
export function findLatePreviews(db: Db, silentMs: number): Promise<QuestionedCall[]> {
  return db
    .selectFrom('tool_call')
    .innerJoin('approval', 'approval.call_id', 'tool_call.id')
    .selectAll('tool_call')
    .select('approval.number as question')
    .where('tool_call.state', '=', 'awaiting_approval')
    .where('preview', '=', sql.lit('wanted'))
    .where('approval.state', '=', 'pending')
    .where('approval.created_at', '<', ago(silentMs))
    .execute()
}
