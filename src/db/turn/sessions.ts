import { type RawBuilder, sql } from 'kysely'
import { newId } from '../../util/ids.ts'
import type { ConversationRow, Db, SessionRow } from '../schema.ts'
import { apart } from './held-session.ts'

/**
 * Returns the open session of a conversation at a worker, creating one if needed. Approval numbers continue from the
 * previous session, so that `/approve 3` never means another approval than the one it was written for.
 */
export async function ensureSession(
  db: Db,
  conversationId: string,
  worker: string,
): Promise<SessionRow> {
  const found = await findOpenSession(db, conversationId, worker)
  if (found !== undefined) return found
  await db
    .insertInto('session')
    .values({
      id: newId(),
      conversation_id: conversationId,
      worker,
      next_approval_number: sql<number>`coalesce((
        select max(next_approval_number) from session where conversation_id = ${conversationId}), 1)`,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['conversation_id', 'worker'])
        .where('state', '=', sql.lit('open'))
        .doNothing(),
    )
    .execute()
  const made = await findOpenSession(db, conversationId, worker)
  if (made === undefined) throw new Error(`no session could be opened for ${conversationId}`)
  return made
}

function findOpenSession(
  db: Db,
  conversationId: string,
  worker: string,
): Promise<SessionRow | undefined> {
  return openSessions(db, conversationId, worker).executeTakeFirst()
}

/** Returns the current session of a conversation: at the worker chosen for it, otherwise at `worker`. */
export function findPresentSession(
  db: Db,
  conversationId: string,
  worker: string,
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .selectAll('session')
    .where('session.conversation_id', '=', conversationId)
    .where('session.worker', '=', sql<string>`coalesce(conversation.worker, ${worker})`)
    .where('session.state', '=', sql.lit('open'))
    .executeTakeFirst()
}

/** Stores the model chosen for a session; null for the configured one. */
export async function saveModel(db: Db, id: string, model: string | null): Promise<void> {
  await db.updateTable('session').set({ model }).where('id', '=', id).execute()
}

function openSessions(db: Db, conversationId: string, worker: string) {
  return db
    .selectFrom('session')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('worker', '=', worker)
    .where('state', '=', sql.lit('open'))
}

export function getSession(db: Db, id: string): Promise<SessionRow> {
  return db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/**
 * Locks a session's row. This is the first lock of every transition of a turn, its calls or approvals, so that two ends
 * of one batch cannot pass each other (INT-3, INT-4).
 */
export function lockSession(db: Db, id: string): Promise<SessionRow> {
  return db
    .selectFrom('session')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

/** Locks a session's row and returns it with its conversation. */
export async function lockSessionAndConversation(
  db: Db,
  id: string,
): Promise<{ session: SessionRow; conversation: ConversationRow }> {
  const row = await db
    .selectFrom('session')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .selectAll('session')
    .select([
      'platform',
      'external_id',
      'conversation.worker as chosen',
      'conversation.created_at as conversation_created_at',
    ])
    .where('session.id', '=', id)
    .forNoKeyUpdate('session')
    .executeTakeFirstOrThrow()
  return apart(row)
}

/** Open session, locked. */
export interface OpenSession {
  readonly session: SessionRow
  readonly awaitsReason: boolean
}

/** SQL condition: a denial by this caller in the conversation may still get a reason. */
export function awaitsReasonOf(
  conversationId: string,
  callerId: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from approval where reason_until > now() and decided_by = ${callerId}
      and approval.conversation_id = ${conversationId})`
}

/**
 * Returns the open session of a conversation at a worker, locked, creating one if needed. Call with the conversation
 * locked, so that the session is not closed meanwhile. `awaitsReason`: a denial by this caller may still get a reason here
 * (TG-03); taps in the conversation that were handled before count, as they held its lock.
 */
export async function lockOpenSession(
  db: Db,
  conversationId: string,
  worker: string,
  callerId: string,
): Promise<OpenSession> {
  const open = await openSessions(db, conversationId, worker)
    .select(awaitsReasonOf(conversationId, sql.val(callerId)).as('awaits_reason'))
    .forNoKeyUpdate('session')
    .executeTakeFirst()
  if (open === undefined) {
    const made = await ensureSession(db, conversationId, worker)
    return { session: await lockSession(db, made.id), awaitsReason: true }
  }
  const { awaits_reason: awaitsReason, ...session } = open
  return { session, awaitsReason }
}

/** Closes a session; deletes its overflow (OUT-09) and result cache (OUT-11). */
export async function closeSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('result_cache').where('session_id', '=', id).execute()
  await db.deleteFrom('tool_overflow').where('session_id', '=', id).execute()
  await db
    .updateTable('session')
    .set({ state: 'closed', closed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Takes the numbers of `count` calls, and reserves `runs` of the quota, or none if they do not all fit (LOOP-13). Returns the
 * first number and whether they fit. Call under the session's lock.
 */
export async function takeCalls(
  db: Db,
  sessionId: string,
  { count, runs, limit }: { count: number; runs: number; limit: number | undefined },
): Promise<{ readonly first: number; readonly fits: boolean }> {
  const { rows } = await sql<{ first: number; fits: boolean }>`
    update session set next_call_number = session.next_call_number + ${count}::int,
      calls_used = session.calls_used + case when before.fits then ${runs}::int else 0 end
    from (
      select id, next_call_number as first,
        coalesce(calls_used + ${runs}::int <= ${limit ?? null}::int, true) as fits
      from session where id = ${sessionId}
    ) as before
    where session.id = before.id
    returning before.first, before.fits`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error(`there is no session ${sessionId}`)
  return { first: Number(row.first), fits: row.fits }
}

/** Returns reserved calls that never ran to the quota. */
export async function refundCalls(db: Db, sessionId: string, count: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ calls_used: sql<number>`greatest(calls_used - ${count}, 0)` })
    .where('id', '=', sessionId)
    .execute()
}

/** Takes the next `count` numbers of a session's counter; returns the first. Call under the session's lock. */
export async function takeNumbers(
  db: Db,
  sessionId: string,
  counter: 'next_approval_number' | 'next_grant_number',
  count: number,
): Promise<number> {
  const row = await db
    .updateTable('session')
    .set((eb) => ({ [counter]: eb(counter, '+', count) }))
    .where('id', '=', sessionId)
    .returning(counter)
    .executeTakeFirstOrThrow()
  return Number(row[counter]) - count
}

export function findSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirst()
}
