import { sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { newId } from '../../util/ids.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'

interface TurnAt {
  readonly id: string
  readonly epoch: number
}

/** MODEL-04: returns for how many milliseconds a turn's model has failed, including a call that began `beganMsAgo`. */
export async function readFailingMs(db: Db, turnId: string, beganMsAgo: number): Promise<number> {
  const began = sql<Date>`coalesce(model_failing_since, ${ago(beganMsAgo)})`
  const row = await db
    .selectFrom('turn')
    .select(sql<number>`extract(epoch from now() - ${began})::float8 * 1000`.as('ms'))
    .where('id', '=', turnId)
    .executeTakeFirstOrThrow()
  return row.ms
}

/**
 * MODEL-04: releases a turn after a failed model call that began `beganMsAgo`; it is due in `dueInMs`. The epoch rises,
 * so that the next job has a new id. Returns undefined if the lease was lost.
 */
export function postponeTurn(
  db: Db,
  { id, epoch }: TurnAt,
  { beganMsAgo, dueInMs }: { readonly beganMsAgo: number; readonly dueInMs: number },
): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set((eb) => ({
      epoch: eb('epoch', '+', 1),
      lease_owner: null,
      lease_until: null,
      next_due: sql<Date>`now() + make_interval(secs => ${dueInMs / 1000})`,
      model_failures: eb('model_failures', '+', 1),
      model_failing_since: sql<Date>`coalesce(model_failing_since, ${ago(beganMsAgo)})`,
    }))
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', literals(liveTurnStates))
    .returningAll()
    .executeTakeFirst()
}

/** Returns the newest turn of a session, live or ended. */
export function findLastTurn(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .selectFrom('turn')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Starts a turn that continues from the transcript without a new message. The session must have no live turn. */
export function insertRetryTurn(
  db: Db,
  turn: { readonly sessionId: string; readonly callerId: string },
): Promise<TurnRow> {
  return db
    .insertInto('turn')
    .values({
      id: newId(),
      session_id: turn.sessionId,
      caller_id: turn.callerId,
      state: 'queued',
      next_due: sql<Date>`now()`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}
