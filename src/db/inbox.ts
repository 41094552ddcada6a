import { sql } from 'kysely'
import { newId } from '../util/new-id.ts'
import type { Db, InboundEventRow } from './schema.ts'

const now = sql<Date>`now()`

/** Stores an update before it is confirmed to its platform, once; answers its id, also when it was taken before (LOOP-04). */
export async function insertInbound(
  db: Db,
  event: {
    platform: string
    externalId: string
    conversationId: string
    callerId: string
    body: string
  },
): Promise<string> {
  const { platform, externalId } = event
  const made = await db
    .insertInto('inbound_event')
    .values({
      id: newId(),
      platform,
      external_id: externalId,
      conversation_id: event.conversationId,
      caller_id: event.callerId,
      body: event.body,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made !== undefined) return made.id
  const known = await db
    .selectFrom('inbound_event')
    .select('id')
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()
  return known.id
}

/** What was answered to a tap, as JSON; undefined: nothing, or it is not handled. */
export async function findTapAnswer(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('inbound_event')
    .select('answer')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.answer ?? undefined
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

/** An event is done with: handled, with what was answered to a tap, or given up. */
export async function markHandled(
  db: Db,
  id: string,
  end: { readonly failure?: string; readonly answer?: string } = {},
): Promise<void> {
  await db
    .updateTable('inbound_event')
    .set({ handled_at: now, failure: end.failure ?? null, answer: end.answer ?? null })
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
