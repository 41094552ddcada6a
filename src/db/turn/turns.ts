import { type SqlBool, sql } from 'kysely'
import { liveTurnStates, type TurnState } from '../../domain/turn.ts'
import { newId } from '../../util/ids.ts'
import { selectUnappliedAlways } from '../approval/approvals.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'
import { selectUploadsOfTurn } from '../upload/unread-uploads.ts'

/** Lifetime of a turn's lease in milliseconds; the holder renews it every third of that (rule 2). */
export const leaseMs = 15_000

const now = sql<Date>`now()`
const live = literals(liveTurnStates)
const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseMs / 1000})`

/** Turn that a person starts without the model. */
export type DirectTurn =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'undo'; readonly anyway: boolean }

/** Starts a turn for a shell command of a person or `/undo`. */
export function insertDirectTurn(
  db: Db,
  turn: DirectTurn & { readonly sessionId: string; readonly callerId: string },
): Promise<TurnRow> {
  return db
    .insertInto('turn')
    .values({
      id: newId(),
      session_id: turn.sessionId,
      caller_id: turn.callerId,
      kind: turn.kind,
      shell_command: commandOf(turn),
      state: 'queued',
      next_due: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the value stored with the turn's kind. */
function commandOf(turn: DirectTurn): string | null {
  if (turn.kind === 'shell') return turn.command
  return turn.anyway ? 'anyway' : null
}

/**
 * Starts a turn for the oldest unread message of a session, with its author as caller; undefined if there is none or a
 * turn is live.
 */
export function insertTurnForUnread(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .insertInto('turn')
    .columns(['id', 'session_id', 'caller_id', 'state', 'next_due'])
    .expression((query) =>
      query
        .selectFrom('message')
        .select((eb) => [
          eb.val(newId()).as('id'),
          'message.session_id',
          'message.author as caller_id',
          eb.val('queued').as('state'),
          now.as('next_due'),
        ])
        .where('message.session_id', '=', sessionId)
        .where('position', 'is', null)
        .where((eb) => eb.not(eb.exists(liveTurns(db, sessionId).select('turn.id'))))
        .orderBy('arrival')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst()
}

export function findTurn(db: Db, id: string): Promise<TurnRow | undefined> {
  return db.selectFrom('turn').selectAll().where('id', '=', id).executeTakeFirst()
}

export function getTurn(db: Db, id: string): Promise<TurnRow> {
  return db.selectFrom('turn').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export function findLiveTurn(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return liveTurns(db, sessionId).selectAll().executeTakeFirst()
}

function liveTurns(db: Db, sessionId: string) {
  return db
    .selectFrom('turn')
    .where('turn.session_id', '=', sessionId)
    .where('turn.state', 'in', live)
}

/**
 * Claims a due live turn without a valid lease. Raises its epoch, so that a previous holder can change nothing any more
 * (rule 2). undefined if it is not due, held, or ended.
 */
export function claimTurn(db: Db, id: string, owner: string): Promise<ClaimedTurn | undefined> {
  return db
    .updateTable('turn')
    .set((eb) => ({
      epoch: eb('epoch', '+', 1),
      lease_owner: owner,
      lease_until: leaseEnd,
      next_due: null,
    }))
    .where('id', '=', id)
    .where('state', 'in', live)
    .where('next_due', '<=', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .returningAll()
    .returning((eb) => [
      eb.exists(restartsOf(db)).as('needs_fresh_box'),
      eb.exists(selectUploadsOfTurn(db)).as('has_uploads'),
      eb
        .exists(selectUnappliedAlways(db).where('session_id', '=', eb.ref('turn.session_id')))
        .as('has_always'),
    ])
    .executeTakeFirst()
}

/** Turn that was just claimed. */
export type ClaimedTurn = TurnRow & {
  /** True if a requested restart of the box has not been sent yet; it must happen before the turn. */
  readonly needs_fresh_box: SqlBool
  /** True if an unread message of its caller waits for files. */
  readonly has_uploads: SqlBool
  /** True if an *Always* decided in its session has not been fully applied. */
  readonly has_always: SqlBool
}

function restartsOf(db: Db) {
  return db
    .selectFrom('conversation')
    .innerJoin('session', 'session.conversation_id', 'conversation.id')
    .select('conversation.id')
    .where('session.id', '=', sql.ref<string>('turn.session_id'))
    .where('conversation.restart_box_of', 'is not', null)
}

/** Renews a lease; false if it was lost or the turn ended. */
export async function renewLease(db: Db, id: string, epoch: number): Promise<boolean> {
  const result = await db
    .updateTable('turn')
    .set({ lease_until: leaseEnd })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', live)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

interface TurnChange {
  readonly state?: TurnState
  readonly step?: number
  readonly crashes?: number
  readonly model_failures?: number
  readonly model_failing_since?: null
  readonly on_fallback?: boolean
  readonly shown_tools?: string
}

/** Changes a turn under its lease; undefined, without a change, if the lease was lost. */
export function updateLeasedTurn(
  db: Db,
  id: string,
  epoch: number,
  change: TurnChange,
): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ ...change, lease_until: leaseEnd })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', live)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Releases a turn and returns it, so that the caller sees whether it became due meanwhile. In that case the epoch rises,
 * since the job that woke it was turned away and the queue may still hold its id.
 */
export function releaseTurn(db: Db, id: string, epoch: number): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({
      lease_owner: null,
      lease_until: null,
      epoch: sql<number>`epoch + (next_due is not null)::int`,
    })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .returningAll()
    .executeTakeFirst()
}

/** Releases a turn in the middle of a step, due at once for another agent. undefined if the lease was lost or the turn ended. */
export function releaseMidStep(db: Db, id: string, epoch: number): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set((eb) => ({
      epoch: eb('epoch', '+', 1),
      lease_owner: null,
      lease_until: null,
      next_due: now,
    }))
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', live)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Ends a turn regardless of its holder, or only at `epoch` if given. The epoch rises, so that a model call in progress is
 * dropped (INT-31). undefined if it had ended, or is at another epoch.
 */
export function endTurn(
  db: Db,
  id: string,
  end: {
    state: 'done' | 'stopped' | 'failed'
    epoch?: number
    stoppedBy?: string
    failure?: string
  },
): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set((eb) => ({
      state: end.state,
      epoch: eb('epoch', '+', 1),
      lease_owner: null,
      lease_until: null,
      next_due: null,
      stopped_by: end.stoppedBy ?? null,
      failure: end.failure ?? null,
      ended_at: now,
    }))
    .where('id', '=', id)
    .where('state', 'in', live)
    .$if(end.epoch !== undefined, (query) => query.where('epoch', '=', end.epoch ?? 0))
    .returningAll()
    .executeTakeFirst()
}

/** Makes an acting turn due now; undefined if it is not acting. */
export function makeTurnDue(db: Db, id: string): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ next_due: now })
    .where('id', '=', id)
    .where('state', '=', sql.lit('acting'))
    .returningAll()
    .executeTakeFirst()
}
