import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Keeps how somebody in a conversation is answered where we are not, for so many milliseconds; the last counts. */
export async function saveReplyPath(
  db: Db,
  conversationId: string,
  { sealed, forMs }: { readonly sealed: string; readonly forMs: number },
): Promise<void> {
  const expires_at = sql<Date>`now() + make_interval(secs => ${forMs / 1000})`
  await db
    .insertInto('reply_path')
    .values({ conversation_id: conversationId, sealed, expires_at })
    .onConflict((conflict) =>
      conflict.column('conversation_id').doUpdateSet({ sealed, expires_at }),
    )
    .execute()
}

export async function findReplyPath(db: Db, conversationId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('reply_path')
    .select('sealed')
    .where('conversation_id', '=', conversationId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.sealed
}
