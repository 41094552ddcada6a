import { sql } from 'kysely'
import { newId } from '../util/new-id.ts'
import type { Db, InboundEventRow, OutboxRow } from './schema.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`

/** Stores an update before it is confirmed to its platform; false: it was taken before (LOOP-04). */
export async function insertInbound(
  db: Db,
  event: {
    platform: string
    externalId: string
    conversationId: string
    callerId: string
    body: string
  },
): Promise<boolean> {
  const result = await db
    .insertInto('inbound_event')
    .values({
      id: newId(),
      platform: event.platform,
      external_id: event.externalId,
      conversation_id: event.conversationId,
      caller_id: event.callerId,
      body: event.body,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The oldest event of a conversation that waits to be handled. */
export async function nextInbound(
  db: Db,
  conversationId: string,
): Promise<InboundEventRow | undefined> {
  return (await findWaitingInbound(db, conversationId, 1))[0]
}

/** The oldest events of a conversation that wait to be handled, in their order. */
export function findWaitingInbound(
  db: Db,
  conversationId: string,
  limit: number,
): Promise<InboundEventRow[]> {
  return db
    .selectFrom('inbound_event')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('handled_at', 'is', null)
    .orderBy('arrival')
    .limit(limit)
    .execute()
}

export async function markHandled(db: Db, id: string, failure?: string): Promise<void> {
  await db
    .updateTable('inbound_event')
    .set({ handled_at: now, failure: failure ?? null })
    .where('id', '=', id)
    .execute()
}

/** Notes that handling an event failed; answers how often it did, undefined when somebody has handled it. */
export async function countFailure(db: Db, id: string): Promise<number | undefined> {
  const row = await db
    .updateTable('inbound_event')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('handled_at', 'is', null)
    .returning('attempts')
    .executeTakeFirst()
  return row?.attempts
}

/** Conversations with events that nobody has handled. */
export async function findWaitingInboxes(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('inbound_event')
    .select('conversation_id')
    .distinct()
    .where('handled_at', 'is', null)
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** Adds a message to people at the end of its conversation's line; answers its number. */
export async function insertOutgoing(
  db: Db,
  conversationId: string,
  body: string,
  editOf?: number,
): Promise<number> {
  const row = await db
    .insertInto('outbox')
    .values({ conversation_id: conversationId, body, edit_of: editOf ?? null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Drops edits of the same message that nobody has begun to send: only the last is worth it. */
export async function dropPendingEdits(db: Db, editOf: number): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where('edit_of', '=', editOf)
    .where('state', '=', sql.lit('pending'))
    .where('attempts', '=', 0)
    .where(isUnclaimed)
    .execute()
}

/** A message that nobody else sends now; `isFollowed`: others stood behind it. */
export type ClaimedMessage = OutboxRow & { readonly isFollowed: boolean }

/**
 * Takes the first message of a conversation's line for `claimMs`; undefined when there is none, it may not go yet, or
 * somebody else is at it. In one statement, so that of two that ask at once one gets it.
 */
export function claimOutgoing(
  db: Db,
  conversationId: string,
  claimMs: number,
): Promise<ClaimedMessage | undefined> {
  return db
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(claimMs) })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('outbox')
        .select('id')
        .where('conversation_id', '=', conversationId)
        .where('state', '=', sql.lit('pending'))
        .orderBy('id')
        .limit(1),
    )
    .where('state', '=', sql.lit('pending'))
    .where('not_before', '<=', now)
    .where(isUnclaimed)
    .returningAll()
    .returning(
      sql<boolean>`exists (
        select from outbox as later
        where later.conversation_id = outbox.conversation_id and later.state = 'pending'
          and later.id > outbox.id)`.as('isFollowed'),
    )
    .executeTakeFirst()
}

/** Keeps a message that is still being sent. */
export async function claimLonger(db: Db, id: number, claimMs: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(claimMs) })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .execute()
}

function claimEnd(claimMs: number) {
  return sql<Date>`now() + make_interval(secs => ${claimMs / 1000})`
}

/** For a start that knows that nobody else lives: whoever was sending is gone. */
export async function forgetClaims(db: Db): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('pending'))
    .where('claimed_until', 'is not', null)
    .execute()
}

export function findOutgoing(db: Db, id: number): Promise<OutboxRow | undefined> {
  return db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Conversations of a platform with something to send now. */
export async function findWaitingOutboxes(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select('outbox.conversation_id')
    .distinct()
    .where('conversation.platform', '=', platform)
    .where('outbox.state', '=', 'pending')
    .where('outbox.not_before', '<=', now)
    .where(isUnclaimed)
    .execute()
  return rows.map((row) => row.conversation_id)
}

export async function markSent(db: Db, id: number, externalMessageId: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ state: 'sent', external_message_id: externalMessageId, sent_at: now })
    .where('id', '=', id)
    .execute()
}

export async function markDead(db: Db, id: number, failure: string): Promise<void> {
  await db.updateTable('outbox').set({ state: 'dead', failure }).where('id', '=', id).execute()
}

export async function postpone(
  db: Db,
  id: number,
  afterMs: number,
  failure: string,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      not_before: sql<Date>`now() + make_interval(secs => ${afterMs / 1000})`,
      claimed_until: null,
      failure,
    }))
    .where('id', '=', id)
    .execute()
}

/** Whether anything of a conversation still waits to be sent. */
export async function hasPendingOutgoing(db: Db, conversationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('state', '=', sql.lit('pending'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
