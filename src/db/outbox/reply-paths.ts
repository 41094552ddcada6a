import { sql } from 'kysely'
import type { Db, ReplyPathRow } from '../schema.ts'

const now = sql<Date>`now()`

/** Stores a temporary way to answer a person in a conversation that the bot has not joined; replaces the previous one. */
export async function saveReplyPath(
  db: Db,
  { conversationId, callerId }: { readonly conversationId: string; readonly callerId: string },
  { sealed, forMs }: { readonly sealed: string; readonly forMs: number },
): Promise<void> {
  const expires_at = sql<Date>`now() + make_interval(secs => ${forMs / 1000})`
  await db
    .insertInto('reply_path')
    .values({ conversation_id: conversationId, caller_id: callerId, sealed, expires_at })
    .onConflict((conflict) =>
      conflict.columns(['conversation_id', 'caller_id']).doUpdateSet({ sealed, expires_at }),
    )
    .execute()
}

/** Returns the reply path of this person only. */
export function findReplyPath(
  db: Db,
  conversationId: string,
  callerId: string,
): Promise<Pick<ReplyPathRow, 'caller_id' | 'sealed'> | undefined> {
  return db
    .selectFrom('reply_path')
    .select(['caller_id', 'sealed'])
    .where('conversation_id', '=', conversationId)
    .where('caller_id', '=', callerId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes expired reply paths. */
export async function deleteOldReplyPaths(db: Db): Promise<void> {
  await db.deleteFrom('reply_path').where('expires_at', '<=', now).execute()
}
