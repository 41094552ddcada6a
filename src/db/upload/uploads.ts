import { type Selectable, sql } from 'kysely'
import { newId } from '../../util/ids.ts'
import type { Db, Schema } from '../schema.ts'

export type UploadRow = Selectable<Schema['upload']>

/** Maximum time between parts of an album. */
const albumGap = sql`interval '1500 milliseconds'`

export interface NewUpload {
  readonly name: string
  readonly mediaType: string | undefined
  /** Key by which the platform's adapter fetches it. */
  readonly reference: string
  readonly album?: string | undefined
  /** Size reported by the platform. */
  readonly bytes?: number | undefined
  /** Attachment with its bytes, if they were already fetched. */
  readonly attachmentId?: string
}

/** Appends files to an event. */
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

/** Returns the files of an event in order. */
export function findUploadsOfEvent(db: Db, eventId: string): Promise<UploadRow[]> {
  return db
    .selectFrom('upload')
    .selectAll()
    .where('inbound_event_id', '=', eventId)
    .orderBy('ordinal')
    .execute()
}

/** Returns the event that further parts of an album belong to; the latest if there are several. */
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

/** Links the files of an event to a message. */
export async function linkUploads(db: Db, eventId: string, messageId: string): Promise<void> {
  await db
    .updateTable('upload')
    .set({ message_id: messageId })
    .where('inbound_event_id', '=', eventId)
    .execute()
}

/** Marks files as reported in their message. */
export async function markUploadsReported(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('upload').set({ state: 'told' }).where('id', 'in', ids).execute()
}

/** Drops the files of these events; returns their names in order. */
export async function dropUploadsOfEvents(db: Db, eventIds: readonly string[]): Promise<string[]> {
  const files = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select(['upload.id', 'upload.name'])
    .where('inbound_event_id', 'in', eventIds)
    .orderBy('inbound_event.arrival')
    .orderBy('upload.ordinal')
    .execute()
  await markUploadsReported(
    db,
    files.map(({ id }) => id),
  )
  return files.map(({ name }) => name)
}

/** Deletes the bytes of files older than `days`, which are in their workspaces or no longer needed. */
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
