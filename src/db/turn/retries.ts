import { sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { newId } from '../../util/new-id.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'

interface TurnAt {
  readonly id: string
  readonly epoch: number
}

/** MODEL-04: how long a turn's model has failed, in milliseconds, with a call that began `beganMsAgo`. */
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
 * MODEL-04: lets go of a turn whose model call, begun `beganMsAgo`, failed: it is due again in `dueInMs`. Its epoch rises,
 * so that the job that wakes it then has an id of its own. undefined: it is not ours any more.
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

/** The newest turn of a session, over or not. */
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

/** Starts a turn that goes on from what the transcript holds, with nothing new said. No turn of the session may be live. */
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
