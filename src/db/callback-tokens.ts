import type { Selectable } from 'kysely'
import type { CardAction } from '../domain/approval.ts'
import type { Db, Schema } from './schema.ts'

/** Makes buttons known before they are shown; of each only the digest of its token is kept. */
export async function insertTokens(
  db: Db,
  card: { readonly approvalId: string; readonly conversationId: string },
  tokens: readonly { readonly sha256: string; readonly action: CardAction }[],
): Promise<void> {
  if (tokens.length === 0) return
  await db
    .insertInto('callback_token')
    .values(
      tokens.map(({ sha256, action }) => ({
        token_sha256: sha256,
        approval_id: card.approvalId,
        action,
        conversation_id: card.conversationId,
      })),
    )
    .execute()
}

/** What the button with this token does, and the conversation it was shown in. */
export function findToken(
  db: Db,
  sha256: string,
): Promise<Selectable<Schema['callback_token']> | undefined> {
  return db
    .selectFrom('callback_token')
    .selectAll()
    .where('token_sha256', '=', sha256)
    .executeTakeFirst()
}
