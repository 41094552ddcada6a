import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { UploadRow } from './uploads.ts'

/** File that an unread message waits for. */
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

/** Returns the files that unread messages of one person in a session wait for, oldest first. */
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

/** Stores the call that writes a file to the workspace. */
export async function setUploadCall(db: Db, id: string, callId: string): Promise<void> {
  await db.updateTable('upload').set({ call_id: callId }).where('id', '=', id).execute()
}

/** Returns the bytes that a call writes to the workspace; undefined if they were deleted. */
export async function findContentOfCall(db: Db, callId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('upload')
    .innerJoin('attachment', 'attachment.id', 'upload.attachment_id')
    .select('attachment.content')
    .where('upload.call_id', '=', callId)
    .executeTakeFirst()
  return row?.content
}

/** Selects the files that unread messages of the caller of `turn` wait for, as part of a statement about that table. */
export function selectUploadsOfTurn(db: Db) {
  return db
    .selectFrom('message')
    .innerJoin('upload', 'upload.message_id', 'message.id')
    .select('upload.id')
    .whereRef('message.session_id', '=', sql.ref<string>('turn.session_id'))
    .whereRef('message.author', '=', sql.ref<string>('turn.caller_id'))
    .where('message.position', 'is', null)
    .where('upload.state', '!=', sql.lit('told'))
}
