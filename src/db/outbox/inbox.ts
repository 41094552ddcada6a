import { sql } from 'kysely'
import { newId } from '../../util/new-id.ts'
import type { Db, InboundEventRow } from '../schema.ts'

const now = sql<Date>`now()`

/** Those of one person that may be handled within a minute are `perMinute`; what comes beyond waits for its turn. */
const minute = sql`interval '1 minute'`
const isInTime = sql<boolean>`(not_before is null or not_before <= now())`
/** CHAT-07: an event waits for its files. */
const hasItsFiles = sql<boolean>`not exists (
  select from upload where upload.inbound_event_id = inbound_event.id and upload.state = 'waiting')`
/** And what the same person wrote after it waits with it, for a while. */
const isFirst = sql<boolean>`not (in_line and exists (
  select from upload join inbound_event as earlier on earlier.id = upload.inbound_event_id
  where upload.state = 'waiting' and earlier.handled_at is null
    and earlier.conversation_id = inbound_event.conversation_id
    and earlier.caller_id = inbound_event.caller_id and earlier.arrival < inbound_event.arrival
    and earlier.received_at > now() - interval '30 seconds'))`
const isDue = sql<boolean>`${isInTime} and ${hasItsFiles} and ${isFirst}`

export interface NewInbound {
  readonly platform: string
  readonly externalId: string
  readonly conversationId: string
  readonly callerId: string
  readonly body: string
  /** Messages of this person that are handled in a minute; undefined: this one is not counted. */
  readonly perMinute?: number | undefined
  /** Read after the files that the same person sent before it. */
  readonly isInLine?: boolean
  /** Done with already: what it brought belongs to another event. */
  readonly isHandled?: boolean
  /** The platform's id of the album that it is of. */
  readonly album?: string | undefined
}

export interface StoredInbound {
  readonly id: string
  /** It waits, since the person wrote too much. */
  readonly isSlowed: boolean
  /** It was not taken before. */
  readonly isNew: boolean
}

/** Stores an update before it is confirmed to its platform, once; answers it also when it was taken before (LOOP-04). */
export async function insertInbound(db: Db, event: NewInbound): Promise<StoredInbound> {
  const { platform, externalId, perMinute } = event
  const made = await db
    .insertInto('inbound_event')
    .values({
      id: newId(),
      platform,
      external_id: externalId,
      conversation_id: event.conversationId,
      caller_id: event.callerId,
      body: event.body,
      in_line: event.isInLine === true,
      album: event.album ?? null,
      ...(event.isHandled === true ? { handled_at: now } : {}),
      ...(perMinute === undefined ? {} : { not_before: placeInLine(event.callerId, perMinute) }),
    })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doNothing())
    .returning(['id', sql<boolean>`coalesce(not_before > received_at, false)`.as('isSlowed')])
    .executeTakeFirst()
  if (made !== undefined) return { ...made, isNew: true }
  const known = await db
    .selectFrom('inbound_event')
    .select('id')
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()
  return { id: known.id, isSlowed: false, isNew: false }
}

/** Whether something of an album was taken from somebody, in this conversation. */
export async function isAlbumTaken(
  db: Db,
  album: string,
  by: { readonly conversationId: string; readonly callerId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('inbound_event')
    .select('id')
    .where('album', '=', album)
    .where('conversation_id', '=', by.conversationId)
    .where('caller_id', '=', by.callerId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function getInbound(db: Db, id: string): Promise<InboundEventRow> {
  return db.selectFrom('inbound_event').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Another body for an event that nobody has handled. */
export async function setInboundBody(db: Db, id: string, body: string): Promise<void> {
  await db
    .updateTable('inbound_event')
    .set({ body })
    .where('id', '=', id)
    .where('handled_at', 'is', null)
    .execute()
}

function placeInLine(callerId: string, perMinute: number) {
  return sql<Date>`greatest(now(), (
    select not_before + ${minute} from inbound_event
    where caller_id = ${callerId} and not_before is not null
    order by arrival desc offset ${perMinute - 1} limit 1))`
}

/** Whether the last counted message of a person before this one had to wait too. */
export async function wasSlowedBefore(db: Db, callerId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('inbound_event')
    .select(sql<boolean>`not_before > received_at`.as('isSlowed'))
    .where('caller_id', '=', callerId)
    .where('not_before', 'is not', null)
    .where('id', '!=', id)
    .orderBy('arrival', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.isSlowed === true
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

/** The oldest event of a conversation that waits to be handled, and may be now. */
export async function nextInbound(
  db: Db,
  conversationId: string,
): Promise<InboundEventRow | undefined> {
  return (await findWaitingInbound(db, conversationId, 1))[0]
}

/** The oldest events of a conversation that wait to be handled, and may be now, in their order. */
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
    .where(isDue)
    .orderBy('arrival')
    .limit(limit)
    .execute()
}

/** Events of these people that a conversation holds back and that came before this one, in their order. */
export function findHeldBack(
  db: Db,
  before: { readonly eventId: string; readonly conversationId: string },
  callerIds: readonly string[],
): Promise<InboundEventRow[]> {
  return db
    .selectFrom('inbound_event')
    .selectAll()
    .where('conversation_id', '=', before.conversationId)
    .where('handled_at', 'is', null)
    .where('caller_id', 'in', callerIds)
    .where('arrival', '<', (query) =>
      query
        .selectFrom('inbound_event as at')
        .select('at.arrival')
        .where('at.id', '=', before.eventId),
    )
    .orderBy('arrival')
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

/** Conversations with events that nobody has handled, and that may be now. */
export async function findWaitingInboxes(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('inbound_event')
    .select('conversation_id')
    .distinct()
    .where('handled_at', 'is', null)
    .where(isDue)
    .execute()
  return rows.map((row) => row.conversation_id)
}
