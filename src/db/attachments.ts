import { sql } from 'kysely'
import { newId } from '../util/new-id.ts'
import type { Db } from './schema.ts'

/** The largest that is kept, in bytes; the table refuses more. */
export const maxAttachmentBytes = 20 * 1024 * 1024

/** How the names of files begin that people asked for to look at; they are made anew for whoever asks again. */
export const outputFiles = 'output-'

export interface NewAttachment {
  readonly conversationId: string
  readonly name: string
  readonly content: Buffer
  /** Of the content, hexadecimal. */
  readonly sha256: string
}

/** Keeps a file that goes with a message; answers its id. */
export async function insertAttachment(
  db: Db,
  { conversationId, name, content, sha256 }: NewAttachment,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('attachment')
    .values({ id, conversation_id: conversationId, name, content, sha256 })
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

/** OUT-10: removes files of outputs that are older than `days`. */
export async function deleteOldOutputFiles(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('attachment')
    .where('name', 'like', `${outputFiles}%`)
    .where('created_at', '<=', sql<Date>`now() - make_interval(days => ${days})`)
    .execute()
}
