import { type Selectable, sql } from 'kysely'
import { newId } from '../../util/new-id.ts'
import type { Db, Schema } from '../schema.ts'

export type UploadRow = Selectable<Schema['upload']>

/** Parts of an album come one by one, and within this time. */
const albumGap = sql`interval '1500 milliseconds'`

export interface NewUpload {
  readonly name: string
  readonly mediaType: string | undefined
  /** By which its platform gives it out. */
  readonly reference: string
  readonly album?: string | undefined
  /** As its platform says. */
  readonly bytes?: number | undefined
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
  const rows = files.map(({ name, mediaType, reference, album, bytes, attachmentId }, index) => ({
    id: newId(),
    inbound_event_id: eventId,
    ordinal: count + index,
    name,
    media_type: mediaType ?? null,
    reference,
    album: album ?? null,
    announced_bytes: bytes ?? null,
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

/** The event that further parts of an album belong to: of several the last. */
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
    .orderBy('inbound_event.arrival', 'desc')
    .limit(1)
    .executeTakeFirst()
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

/** The files of these events are not taken any more; answers their names, in their order. */
export async function dropUploadsOfEvents(db: Db, eventIds: readonly string[]): Promise<string[]> {
  const files = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select(['upload.id', 'upload.name'])
    .where('inbound_event_id', 'in', eventIds)
    .orderBy('inbound_event.arrival')
    .orderBy('upload.ordinal')
    .execute()
  await markUploadsTold(
    db,
    files.map(({ id }) => id),
  )
  return files.map(({ name }) => name)
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
