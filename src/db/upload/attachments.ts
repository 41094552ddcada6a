import { sql } from 'kysely'
import { newId } from '../../util/ids.ts'
import type { Db } from '../schema.ts'

/** Largest attachment in bytes, also enforced by the table. */
export const maxAttachmentBytes = 20 * 1024 * 1024

export interface NewAttachment {
  readonly conversationId: string
  readonly name: string
  readonly content: Buffer
  /** Digest of the content, in hexadecimal. */
  readonly sha256: string
}

/** Stores a file that accompanies a message; returns its id. */
export function insertAttachment(db: Db, file: NewAttachment): Promise<string> {
  return insert(db, file, false)
}

/**
 * OUT-10: stores a file made from an output, or renews an identical one; returns its id. It is deleted some time after
 * its last request.
 */
export async function keepOutputFile(db: Db, file: NewAttachment): Promise<string> {
  const kept = await db
    .updateTable('attachment')
    .set({ created_at: sql<Date>`now()` })
    .where('is_output', '=', sql.lit(true))
    .where('conversation_id', '=', file.conversationId)
    .where('sha256', '=', file.sha256)
    .where('name', '=', file.name)
    .returning('id')
    .executeTakeFirst()
  return kept?.id ?? insert(db, file, true)
}

async function insert(
  db: Db,
  { conversationId, name, content, sha256 }: NewAttachment,
  isOutput: boolean,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('attachment')
    .values({ id, conversation_id: conversationId, name, content, sha256, is_output: isOutput })
    .execute()
  return id
}

/** Returns the bytes of an attachment; undefined if it was deleted. */
export async function readAttachment(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('attachment')
    .select('content')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.content
}

/** Deletes a file. */
export async function deleteAttachment(db: Db, id: string): Promise<void> {
  await db.deleteFrom('attachment').where('id', '=', id).execute()
}

/** OUT-10: deletes output files not requested within `days`. */
export async function deleteOldOutputFiles(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('attachment')
    .where('is_output', '=', sql.lit(true))
    .where('created_at', '<=', sql<Date>`now() - make_interval(days => ${days})`)
    .execute()
}
