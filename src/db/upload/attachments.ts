import { sql } from 'kysely'
import { newId } from '../../util/new-id.ts'
import type { Db } from '../schema.ts'

/** The largest that is kept, in bytes; the table refuses more. */
export const maxAttachmentBytes = 20 * 1024 * 1024

export interface NewAttachment {
  readonly conversationId: string
  readonly name: string
  readonly content: Buffer
  /** Of the content, hexadecimal. */
  readonly sha256: string
}

/** Keeps a file that goes with a message; answers its id. */
export function insertAttachment(db: Db, file: NewAttachment): Promise<string> {
  return insert(db, file, false)
}

/** OUT-10: keeps a file of an output until nobody has asked for it for a while; of the same one there is one row. Answers its id. */
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

/** The bytes of an attachment; undefined: there is none any more. */
export async function readAttachment(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('attachment')
    .select('content')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.content
}

/** Takes a file away. */
export async function deleteAttachment(db: Db, id: string): Promise<void> {
  await db.deleteFrom('attachment').where('id', '=', id).execute()
}

/** OUT-10: removes files of outputs that nobody asked for within `days`. */
export async function deleteOldOutputFiles(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('attachment')
    .where('is_output', '=', sql.lit(true))
    .where('created_at', '<=', sql<Date>`now() - make_interval(days => ${days})`)
    .execute()
}
