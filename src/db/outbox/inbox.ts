import { sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { newId } from '../../util/ids.ts'
import type { Db, InboundEventRow } from '../schema.ts'

const now = sql<Date>`now()`

/** `perMinute` messages of one person are handled within a minute; further ones wait. */
const minute = sql`interval '1 minute'`
const isInTime = sql<boolean>`(not_before is null or not_before <= now())`
/** CHAT-07: SQL condition: all files of the event are fetched or refused. */
const hasItsFiles = sql<boolean>`not exists (
  select from upload where upload.inbound_event_id = inbound_event.id and upload.state = 'waiting')`
/** Messages of the same person wait up to 30 s behind one whose files are being fetched. */
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
  /** Messages of this person handled within a minute; undefined if this one does not count. */
  readonly perMinute?: number | undefined
  /** True if the event waits for files that the same person sent before it. */
  readonly isInLine?: boolean
  /** True if nothing is left to handle, since its content was added to another event. */
  readonly isHandled?: boolean
  /** Platform's id of the album that the message belongs to. */
  readonly album?: string | undefined
}

export interface StoredInbound {
  readonly id: string
  /** True if it waits because the person wrote too much. */
  readonly isSlowed: boolean
  /** False if the update was stored before. */
  readonly isNew: boolean
}

/** Stores an update once, before it is confirmed to its platform (LOOP-04). Returns the stored row also for a repeated update. */
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
      ...(perMinute === undefined
        ? {}
        : { not_before: rateLimitedTime(event.callerId, perMinute) }),
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

/** Stores a new update at a known address; undefined if it was stored before, or nothing is known of the address. */
export async function insertInboundAt(
  db: Db,
  {
    platform,
    externalId,
    callerId,
    body,
    place,
  }: Omit<NewInbound, 'conversationId'> & { place: string },
): Promise<{ readonly conversationId: string; readonly eventId: string } | undefined> {
  const { rows } = await sql<{ conversationId: string; eventId: string }>`
    insert into inbound_event (id, platform, external_id, conversation_id, caller_id, body)
    select ${newId()}::uuid, platform, ${externalId}, id, ${callerId}, ${body} from conversation
    where platform = ${platform} and external_id = ${place}
    on conflict (platform, external_id) do nothing
    returning conversation_id as "conversationId", id as "eventId"`.execute(db)
  return rows[0]
}

/** True if an album has an accepted message of this caller in this conversation. */
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

/** Replaces the body of an unhandled event. */
export async function setInboundBody(db: Db, id: string, body: string): Promise<void> {
  await db
    .updateTable('inbound_event')
    .set({ body })
    .where('id', '=', id)
    .where('handled_at', 'is', null)
    .execute()
}

function rateLimitedTime(callerId: string, perMinute: number) {
  return sql<Date>`greatest(now(), (
    select not_before + ${minute} from inbound_event
    where caller_id = ${callerId} and not_before is not null
    order by arrival desc offset ${perMinute - 1} limit 1))`
}

/** True if the previous counted message of a person had to wait, too. */
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

/** Returns the reply to a tap as JSON; undefined if it had none or is not handled. */
export async function findTapAnswer(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('inbound_event')
    .select('answer')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.answer ?? undefined
}

/** Returns the oldest due event of a conversation. */
export async function nextInbound(
  db: Db,
  conversationId: string,
): Promise<InboundEventRow | undefined> {
  return (await findWaitingInbound(db, conversationId, 1))[0]
}

/** Returns the oldest due events of a conversation, in order. */
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

/** Selects the same, each with whoever sent it, if known. */
export function selectWaitingWithCaller(db: Db, conversationId: string, limit: number) {
  return db
    .selectFrom('inbound_event')
    .selectAll('inbound_event')
    .select((eb) =>
      jsonObjectFrom(
        eb
          .selectFrom('caller')
          .select(['caller.id', 'caller.name', 'caller.role', 'caller.paired_role as pairedRole'])
          .whereRef('caller.id', '=', 'inbound_event.caller_id'),
      ).as('caller'),
    )
    .where('conversation_id', '=', conversationId)
    .where('handled_at', 'is', null)
    .where(isDue)
    .orderBy('arrival')
    .limit(limit)
}

/** Returns unhandled events of these people in the conversation that arrived before this one, in order. */
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

/** Marks an event as handled, with the reply to a tap, or as given up. */
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

/** Counts a failed attempt to handle an event; returns the number of attempts, undefined if it was handled meanwhile. */
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

/** Returns conversations that have due events. */
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
