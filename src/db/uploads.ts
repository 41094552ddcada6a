import { type Selectable, sql } from 'kysely'
import { newId } from '../util/new-id.ts'
import type { Db, Schema } from './schema.ts'

export type UploadRow = Selectable<Schema['upload']>

const now = sql<Date>`now()`
/** How long whoever fetches a file may be silent before somebody else does; renewed every third of it. */
export const uploadClaimMs = 15_000
const claimEnd = sql<Date>`now() + make_interval(secs => ${uploadClaimMs / 1000})`
/** Parts of an album come one by one, and within this time. */
const albumGap = sql`interval '1500 milliseconds'`

export interface NewUpload {
  readonly name: string
  readonly mediaType: string | undefined
  /** By which its platform gives it out. */
  readonly reference: string
  readonly album?: string | undefined
  /** Its bytes, where they are here already. */
  readonly attachmentId?: string
}

/** Adds files to an event, behind those that it has. */
export async function insertUploads(
  db: Db,
  eventId: string,
  files: readonly NewUpload[],
): Promise<void> {
  const { count } = await db
    .selectFrom('upload')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('inbound_event_id', '=', eventId)
    .executeTakeFirstOrThrow()
  const rows = files.map(({ name, mediaType, reference, album, attachmentId }, index) => ({
    id: newId(),
    inbound_event_id: eventId,
    ordinal: count + index,
    name,
    media_type: mediaType ?? null,
    reference,
    album: album ?? null,
    ...(album === undefined ? {} : { not_before: sql<Date>`now() + ${albumGap}` }),
    ...(attachmentId === undefined ? {} : { attachment_id: attachmentId, state: 'kept' as const }),
  }))
  await db.insertInto('upload').values(rows).execute()
}

/** The files of an event, in their order. */
export function findUploadsOfEvent(db: Db, eventId: string): Promise<UploadRow[]> {
  return db
    .selectFrom('upload')
    .selectAll()
    .where('inbound_event_id', '=', eventId)
    .orderBy('ordinal')
    .execute()
}

/** The event that further parts of an album belong to. */
export async function findAlbumEvent(
  db: Db,
  {
    album,
    conversationId,
    callerId,
  }: { readonly album: string; readonly conversationId: string; readonly callerId: string },
): Promise<{ readonly id: string; readonly body: string } | undefined> {
  return db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select(['inbound_event.id', 'inbound_event.body'])
    .where('upload.album', '=', album)
    .where('upload.state', '=', sql.lit('waiting'))
    .where('inbound_event.conversation_id', '=', conversationId)
    .where('inbound_event.caller_id', '=', callerId)
    .where('inbound_event.handled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
}

/** Conversations of a platform with files that are to be fetched now. */
export async function findDueUploads(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select('inbound_event.conversation_id')
    .distinct()
    .where('upload.state', '=', sql.lit('waiting'))
    .where('upload.not_before', '<=', now)
    .where(isFree)
    .where('inbound_event.platform', '=', platform)
    .execute()
  return rows.map((row) => row.conversation_id)
}

const isFree = sql<boolean>`(upload.claimed_until is null or upload.claimed_until < now())`

/** The next file of a conversation that is to be fetched, for whoever claims it. */
export async function claimUpload(db: Db, conversationId: string): Promise<UploadRow | undefined> {
  return db
    .updateTable('upload')
    .set({ claimed_until: claimEnd })
    .where('id', '=', (query) =>
      query
        .selectFrom('upload')
        .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
        .select('upload.id')
        .where('inbound_event.conversation_id', '=', conversationId)
        .where('upload.state', '=', sql.lit('waiting'))
        .where('upload.not_before', '<=', now)
        .where(isFree)
        .orderBy('inbound_event.arrival')
        .orderBy('upload.ordinal')
        .limit(1)
        .forUpdate('upload')
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** In how many milliseconds the next file of a conversation may be fetched; undefined: none waits. */
export async function nextUploadInMs(db: Db, conversationId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select(
      sql<number | null>`ceil(extract(epoch from min(${dueAt}) - now()) * 1000)::int`.as('ms'),
    )
    .where('inbound_event.conversation_id', '=', conversationId)
    .where('upload.state', '=', sql.lit('waiting'))
    .executeTakeFirst()
  return row?.ms == null ? undefined : Math.max(0, row.ms)
}

const dueAt = sql`greatest(upload.not_before, upload.claimed_until)`

/** Says again that somebody lives who fetches it. */
export async function renewUploadClaim(db: Db, id: string): Promise<void> {
  await waiting(db, id).set({ claimed_until: claimEnd }).execute()
}

/** For a start that knows that nobody else lives: whoever was fetching is gone. */
export async function forgetUploadClaims(db: Db): Promise<void> {
  await db
    .updateTable('upload')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('waiting'))
    .where('claimed_until', 'is not', null)
    .execute()
}

/** Its bytes are here. False: somebody else was sooner. */
export async function keepUpload(
  db: Db,
  id: string,
  kept: { readonly attachmentId: string; readonly name: string; readonly mediaType: string | null },
): Promise<boolean> {
  const { attachmentId, name, mediaType } = kept
  const { numUpdatedRows } = await waiting(db, id)
    .set({
      state: 'kept',
      attachment_id: attachmentId,
      name,
      media_type: mediaType,
      claimed_until: null,
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** It cannot be had. */
export async function refuseUpload(db: Db, id: string, failure: string): Promise<void> {
  await waiting(db, id).set({ state: 'refused', failure, claimed_until: null }).execute()
}

/** It is tried again after so many milliseconds. */
export async function postponeUpload(
  db: Db,
  id: string,
  { afterMs, counts }: { readonly afterMs: number; readonly counts: boolean },
): Promise<void> {
  await waiting(db, id)
    .set((eb) => ({
      attempts: eb('attempts', '+', counts ? 1 : 0),
      not_before: sql<Date>`now() + make_interval(secs => ${afterMs / 1000})`,
      claimed_until: null,
    }))
    .execute()
}

function waiting(db: Db, id: string) {
  return db.updateTable('upload').where('id', '=', id).where('state', '=', sql.lit('waiting'))
}

/** The files of an event are for this message. */
export async function linkUploads(db: Db, eventId: string, messageId: string): Promise<void> {
  await db
    .updateTable('upload')
    .set({ message_id: messageId })
    .where('inbound_event_id', '=', eventId)
    .execute()
}

/** Nobody waits for these any more. */
export async function markUploadsTold(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('upload').set({ state: 'told' }).where('id', 'in', ids).execute()
}

/** A file that somebody's unread message waits for. */
export interface UnreadUpload extends UploadRow {
  readonly message_id: string
  readonly message_body: string
  readonly sha256: string | null
  readonly bytes: number | null
  readonly call_turn_id: string | null
  readonly call_settled_at: Date | null
  readonly call_result: string | null
  readonly call_state: string | null
}

/** What unread messages of one person in a session wait for, oldest first. */
export function findUnreadUploads(
  db: Db,
  { sessionId, author }: { readonly sessionId: string; readonly author: string },
): Promise<UnreadUpload[]> {
  return db
    .selectFrom('message')
    .innerJoin('upload', 'upload.message_id', 'message.id')
    .leftJoin('attachment', 'attachment.id', 'upload.attachment_id')
    .leftJoin('tool_call', 'tool_call.id', 'upload.call_id')
    .selectAll('upload')
    .select([
      'message.id as message_id',
      'message.body as message_body',
      'attachment.sha256',
      sql<number | null>`octet_length(attachment.content)`.as('bytes'),
      'tool_call.turn_id as call_turn_id',
      'tool_call.settled_at as call_settled_at',
      'tool_call.result as call_result',
      'tool_call.state as call_state',
    ])
    .where('message.session_id', '=', sessionId)
    .where('message.position', 'is', null)
    .where('message.author', '=', author)
    .where('upload.state', '!=', sql.lit('told'))
    .orderBy('message.arrival')
    .orderBy('upload.ordinal')
    .execute()
}

/** Messages that wait for their files, of those given. */
export async function findWaitingForFiles(
  db: Db,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('upload')
    .select('message_id')
    .where('message_id', 'in', messageIds)
    .where('state', '!=', sql.lit('told'))
    .execute()
  return new Set(rows.flatMap(({ message_id: id }) => (id === null ? [] : [id])))
}

/** Which call puts a file into the workspace. */
export async function setUploadCall(db: Db, id: string, callId: string): Promise<void> {
  await db.updateTable('upload').set({ call_id: callId }).where('id', '=', id).execute()
}

/** The bytes that a call is to put into the workspace; undefined: they are not kept any more. */
export async function findContentOfCall(db: Db, callId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('upload')
    .innerJoin('attachment', 'attachment.id', 'upload.attachment_id')
    .select('attachment.content')
    .where('upload.call_id', '=', callId)
    .executeTakeFirst()
  return row?.content
}

/** The bytes of files that came so long ago are in their workspaces by now, or nobody waits for them. */
export async function deleteOldUploads(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('attachment')
    .where('id', 'in', (query) =>
      query
        .selectFrom('upload')
        .select(sql<string>`attachment_id`.as('id'))
        .where('state', '!=', sql.lit('waiting'))
        .where('attachment_id', 'is not', null)
        .where('upload.created_at', '<=', sql<Date>`now() - make_interval(days => ${days})`),
    )
    .execute()
}
