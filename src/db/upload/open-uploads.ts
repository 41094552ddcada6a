import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'

/** Number and bytes of a person's files that are not in a workspace yet. */
export interface OpenUploads {
  readonly files: number
  readonly bytes: number
}

/**
 * Counts a person's files that wait to be fetched or written to a workspace; files of unknown size count as
 * `unknownBytes`. Holds a lock for this person until the transaction ends. Files older than a day do not count.
 */
export async function countOpenUploads(
  db: Db,
  callerId: string,
  unknownBytes: number,
): Promise<OpenUploads> {
  await lockByName(db, `uploads of ${callerId}`)
  return db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .leftJoin('attachment', 'attachment.id', 'upload.attachment_id')
    .select([
      sql<number>`count(*)::int`.as('files'),
      sql<number>`coalesce(sum(coalesce(
        octet_length(attachment.content), announced_bytes, ${unknownBytes})), 0)::float8`.as(
        'bytes',
      ),
    ])
    .where(sql<boolean>`upload.state in ('waiting', 'kept')`)
    .where(sql<boolean>`(inbound_event.handled_at is null or upload.message_id is not null)`)
    .where('upload.created_at', '>', sql<Date>`now() - interval '1 day'`)
    .where('inbound_event.caller_id', '=', callerId)
    .executeTakeFirstOrThrow()
}
