import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { liveTurnStates, type TurnState } from '../../domain/turn.ts'
import { newId } from '../../util/new-id.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'

/** Length of a turn's lease; the holder renews every third of it (rule 2). */
export const leaseMs = 15_000

const now = sql<Date>`now()`
const live = literals(liveTurnStates)
const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseMs / 1000})`

/** What a person starts without the model. */
export type OwnTurn =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'undo'; readonly anyway: boolean }

/** Starts a turn for a person's own command or `/undo`. */
export function insertOwnTurn(
  db: Db,
  turn: OwnTurn & { readonly sessionId: string; readonly callerId: string },
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

/** What is kept of it beside its kind. */
function commandOf(turn: OwnTurn): string | null {
  if (turn.kind === 'shell') return turn.command
  return turn.anyway ? 'anyway' : null
}

/**
 * Starts a turn for the oldest unread message of a session, as its author; undefined where there is none, or a turn is
 * live already.
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
 * Takes a live turn that is due and that nobody holds. Raises its epoch: whoever held it before changes nothing any
 * more (rule 2). undefined: not due, held, or over.
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
    .returning((eb) => eb.exists(restartsOf(db)).as('needs_fresh_box'))
    .executeTakeFirst()
}

/** A turn that was just claimed. */
export type ClaimedTurn = TurnRow & {
  /** Before it the box is to be restarted: somebody asked for that, and it has not been sent yet. */
  readonly needs_fresh_box: SqlBool
}

function restartsOf(db: Db) {
  return db
    .selectFrom('conversation')
    .innerJoin('session', 'session.conversation_id', 'conversation.id')
    .select('conversation.id')
    .where('session.id', '=', sql.ref<string>('turn.session_id'))
    .where('conversation.restart_box_of', 'is not', null)
}

/** false: the lease was lost to somebody else, or the turn is over. */
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

/** Changes a turn that is still ours; undefined: it is not, and nothing was changed. */
export function updateOwnTurn(
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
 * Lets go of a turn; answers it, so that what became due meanwhile can be seen. The epoch of one that did rises: whoever
 * woke it was turned away, and the queue may still keep that job under its id.
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

/** Lets go of a turn in the middle of a step: somebody else is to take that at once. undefined: it is not ours, or over. */
export function handTurnOn(db: Db, id: string, epoch: number): Promise<TurnRow | undefined> {
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
 * Ends a turn whoever holds it, or only at this epoch where one is given; its epoch rises, so that a model call under
 * way is dropped (INT-31). undefined: it is over already, or at another epoch.
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

/** Wakes an acting turn: it is due from now on. undefined when it is not acting. */
export function makeDue(db: Db, id: string): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ next_due: now })
    .where('id', '=', id)
    .where('state', '=', sql.lit('acting'))
    .returningAll()
    .executeTakeFirst()
}

/** Wakes the live turn of a session, if it is acting. */
export function makeLiveDue(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ next_due: now })
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('acting'))
    .returningAll()
    .executeTakeFirst()
}

/**
 * What a crash left behind: turns whose lease ran out, and turns long due that no job has woken. Their epoch rises, so
 * that the next job has a fresh id even when the queue still keeps the old one (rule 3).
 */
export async function takeForgottenTurns(db: Db, dueForMs: number): Promise<TurnRow[]> {
  return takeFromHolders(db, now)
    .where((eb) =>
      eb.or([
        eb('lease_until', '<', now),
        eb.and([eb('lease_until', 'is', null), eb('next_due', '<', ago(dueForMs))]),
        eb.and([
          eb('lease_until', 'is', null),
          eb('next_due', 'is', null),
          eb('state', 'in', literals(['queued', 'thinking'])),
        ]),
      ]),
    )
    .returningAll()
    .execute()
}

/** For a start that knows that nobody else lives: every lease is over, every live turn is due (DECISIONS 8). */
export async function expireAllLeases(db: Db): Promise<void> {
  // Long ago: the first sweep takes them for forgotten.
  await takeFromHolders(db, sql<Date>`to_timestamp(0)`).execute()
}

/** Ends the lease of live turns, counts a holder that vanished, and makes them due for somebody else. */
function takeFromHolders(db: Db, due: RawBuilder<Date>) {
  return db
    .updateTable('turn')
    .set((eb) => ({
      epoch: eb('epoch', '+', 1),
      crashes: sql<number>`crashes + (lease_until is not null)::int`,
      lease_owner: null,
      lease_until: null,
      next_due: due,
    }))
    .where('state', 'in', live)
}
