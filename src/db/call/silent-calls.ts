import { sql } from 'kysely'
import { callStatesAtWorker } from '../../domain/tool/tool-call.ts'
import { literals } from '../literals.ts'
import type { Db, ToolCallRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'
import { hasLiveReplica, hasLiveWorker, hasReplicaWithin, mayHaveBegun } from '../worker/workers.ts'

/** States of a call that is with a worker. */
export const atWorker = literals(callStatesAtWorker)

/** SQL condition on `tool_call`: reported as interrupted because its replica was lost, although the call may still run. */
export const isLost = sql<boolean>`state = 'interrupted' and cancel_requested_at is not null`

const now = sql<Date>`now()`

/** Returns the milliseconds since the current attempt of a call was sent, by the database's clock. */
export async function queuedForMs(db: Db, id: string): Promise<number> {
  const row = await db
    .selectFrom('tool_call')
    .select(forMs.as('ms'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.ms ?? 0
}

const forMs = sql<number>`(extract(epoch from now() - queued_at) * 1000)::float8`

/** Call without a response, with the milliseconds since its attempt was sent. */
export type SilentCall = ToolCallRow & { readonly queued_for_ms: number }

/**
 * Returns calls at a live worker whose job was sent more than `silentMs` ago, up to eight times that after repeated
 * sends, and marks them as sent again. Calls of a dead replica are returned after `silentMs`.
 */
export function takeSilentCalls(db: Db, silentMs: number): Promise<SilentCall[]> {
  const silence = ago(silentMs)
  const resendBefore = sql<Date>`now() - make_interval(secs => ${silentMs / 1000} * 2 ^ least(sends, 3))`
  return db
    .updateTable('tool_call')
    .set((eb) => ({ sends: eb('sends', '+', 1), sent_at: now }))
    .where('state', 'in', atWorker)
    .where('cancel_requested_at', 'is', null)
    .where(hasLiveWorker)
    .where((eb) =>
      eb.or([
        eb('sent_at', 'is', null),
        eb('sent_at', '<', resendBefore),
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

/** Call whose worker is lost, and whether a replica may have started it. */
export type AbandonedCall = ToolCallRow & { readonly may_have_begun: boolean }

/**
 * Returns calls of a worker without a live replica: running ones, and ones that waited for `graceMs` (unless cancelled)
 * and that no replica can start any more, since their last job expired after `jobLifetimeMs`.
 */
export function findAbandoned(
  db: Db,
  graceMs: number,
  jobLifetimeMs: number,
): Promise<AbandonedCall[]> {
  const grace = ago(graceMs)
  const lifetime = ago(jobLifetimeMs)
  return db
    .selectFrom('tool_call')
    .selectAll()
    .select(mayHaveBegun.as('may_have_begun'))
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

/**
 * Returns calls to be cancelled: unsettled ones at a worker, and ones that were settled as interrupted while their
 * replica was lost and is live again.
 */
export function findCancelling(db: Db, turnId?: string): Promise<ToolCallRow[]> {
  const all = db
    .selectFrom('tool_call')
    .selectAll()
    .where('state', 'in', atWorker)
    .where('cancel_requested_at', 'is not', null)
  if (turnId !== undefined) return all.where('turn_id', '=', turnId).execute()
  const unheard = db.selectFrom('tool_call').selectAll().where(isLost).where(hasLiveReplica)
  return all.unionAll(unheard).execute()
}

/** Stops cancelling calls of replicas that were silent for `silentMs`; returns the sessions. */
export async function stopCancellingLost(db: Db, silentMs: number): Promise<readonly string[]> {
  const rows = await db
    .updateTable('tool_call')
    .set({ cancel_requested_at: null })
    .where(isLost)
    .where((eb) => eb.not(hasReplicaWithin(silentMs)))
    .returning('session_id')
    .execute()
  return [...new Set(rows.map((row) => row.session_id))]
}

/** Marks all calls at workers as unsent, for a start with no other process running, when every job is lost. */
export async function resetSends(db: Db): Promise<void> {
  await db.updateTable('tool_call').set({ sent_at: null }).where('state', 'in', atWorker).execute()
}

/** Call with the number of its pending approval. */
type CallWithApproval = ToolCallRow & { readonly question: number }

/** Returns calls whose preview was requested more than `silentMs` ago and never arrived. */
export function findLatePreviews(db: Db, silentMs: number): Promise<CallWithApproval[]> {
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
