import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { ApprovalState } from '../../domain/approval.ts'
import type { GrantLife } from '../../domain/grant-life.ts'
import { literals } from '../literals.ts'
import type { ApprovalRow, Db, Schema } from '../schema.ts'

const now = sql<Date>`now()`

export type NewApproval = Omit<
  Insertable<Schema['approval']>,
  | 'expires_at'
  | 'remind_at'
  | 'escalate_at'
  | 'escalated'
  | 'reason_until'
  | 'state'
  | 'always_effect'
>

/** Milliseconds from now until a pending approval expires, is reminded of and escalates; undefined means never. */
export interface ApprovalTimes {
  readonly ttlMs: number
  readonly remindAfterMs: number | undefined
  readonly escalateAfterMs: number | undefined
}

/** Inserts a pending approval. Its times are computed by the database's clock (rule 9). */
export function insertApproval(
  db: Db,
  approval: NewApproval,
  { ttlMs, remindAfterMs, escalateAfterMs }: ApprovalTimes,
): Promise<ApprovalRow> {
  return db
    .insertInto('approval')
    .values({
      ...approval,
      expires_at: fromNow(ttlMs),
      remind_at: remindAfterMs === undefined ? null : fromNow(remindAfterMs),
      escalate_at: escalateAfterMs === undefined ? null : fromNow(escalateAfterMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** SQL for a time in the future, by the database's clock. */
export function fromNow(ms: number) {
  return sql<Date>`now() + make_interval(secs => ${ms / 1000})`
}

export function findApproval(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return db.selectFrom('approval').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findPending(db: Db, sessionId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('pending'))
    .orderBy('number')
    .execute()
}

export function findPendingOfTurn(db: Db, turnId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('state', '=', sql.lit('pending'))
    .orderBy('number')
    .execute()
}

/** Returns the latest approval of a call, in any state. */
export function findApprovalOfCall(db: Db, callId: string): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** True if any call of a model's message had an approval. */
export async function hasApproval(db: Db, messageId: string): Promise<boolean> {
  const found = await db
    .selectFrom('approval')
    .innerJoin('tool_call', 'tool_call.id', 'approval.call_id')
    .select('approval.id')
    .where('tool_call.message_id', '=', messageId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export function findApprovalByNumber(
  db: Db,
  sessionId: string,
  number: number,
): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('number', '=', number)
    .executeTakeFirst()
}

/**
 * Ends a pending approval; returns undefined if it had ended before. With `onlyUnexpired` it also must not have expired,
 * by the same row and clock that expiry uses (INT-5). `explainMs`: time in which a reason for the denial may follow.
 */
export function endApproval(
  db: Db,
  id: string,
  end: {
    state: Exclude<ApprovalState, 'pending'>
    by?: string
    reason?: string
    alwaysEffect?: 'session' | 'worker'
    life?: GrantLife
    explainMs?: number | undefined
    onlyUnexpired?: boolean
  },
): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({
      state: end.state,
      decided_by: end.by ?? null,
      decided_at: now,
      reason: end.reason ?? null,
      always_effect: end.alwaysEffect ?? 'none',
      life: end.life ?? null,
      remind_at: null,
      reason_until: end.explainMs === undefined ? null : fromNow(end.explainMs),
    })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .$if(end.onlyUnexpired === true, (query) => query.where('expires_at', '>', now))
    .returningAll()
    .executeTakeFirst()
}

/** Returns approvals whose *Always* has not been fully applied. */
export function findUnappliedAlways(db: Db, sessionId?: string): Promise<ApprovalRow[]> {
  return selectUnappliedAlways(db)
    .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId ?? ''))
    .execute()
}

export function selectUnappliedAlways(db: Db) {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('always_effect', 'in', literals(['session', 'worker']))
}

export async function setAlwaysEffect(
  db: Db,
  id: string,
  effect: 'session' | 'done',
): Promise<void> {
  await db.updateTable('approval').set({ always_effect: effect }).where('id', '=', id).execute()
}

/** Marks the approval of a call as superseded, because the approved content changed. */
export function supersedeApproval(db: Db, callId: string): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({ state: 'superseded' })
    .where('call_id', '=', callId)
    .where('state', 'in', literals(['approved', 'granted']))
    .returningAll()
    .executeTakeFirst()
}
