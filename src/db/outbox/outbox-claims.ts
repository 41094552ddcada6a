import { sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, OutboxRow } from '../schema.ts'
import { type LiveMessage, liveColumns, toLiveMessage } from './live-messages.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`
const isUntouched = sql<boolean>`outbox.claimed_until is null`

/** Message claimed for sending. `isFollowed`: others wait behind it; `isOld`: it has waited for a day. */
export type ClaimedMessage = OutboxRow & { readonly isFollowed: boolean; readonly isOld: boolean }

/** The same with the address that it goes to, and the conversation's transient message. */
export type MessageToSend = ClaimedMessage & {
  readonly address: { readonly id: string; readonly platform: string; readonly external_id: string }
  readonly live: LiveMessage
}

/**
 * Claims the first pending message of a conversation for `claimMs`, skipping edits that are not due. Returns undefined if
 * the conversation is not of this platform, there is none, it is not due, or it is claimed; with `takesOver` false also if an expired claim remains. One statement,
 * so that only one of two concurrent callers gets it.
 *
 * The transient message may be read in the same statement: whoever claims that looks for pending messages afterwards, and
 * this one was pending before.
 */
export async function claimOutgoing(
  db: Db,
  { conversationId, platform }: { readonly conversationId: string; readonly platform: string },
  { claimMs, takesOver }: { readonly claimMs: number; readonly takesOver: boolean },
): Promise<MessageToSend | undefined> {
  const row = await db
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(claimMs) })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('outbox')
        .select('id')
        .where('conversation_id', '=', conversationId)
        .where('conversation_id', 'in', (query) =>
          query
            .selectFrom('conversation')
            .select('conversation.id')
            .where('platform', '=', platform),
        )
        .where('state', '=', sql.lit('pending'))
        // A delayed edit does not block later messages, since it changes no order.
        .where((edit) => edit.or([edit('edit_of', 'is', null), edit('not_before', '<=', now)]))
        .orderBy('id')
        .limit(1),
    )
    .where('state', '=', sql.lit('pending'))
    .where('not_before', '<=', now)
    .where(takesOver ? isUnclaimed : isUntouched)
    .returningAll()
    .returning(
      sql<boolean>`exists (
        select from outbox as later
        where later.conversation_id = outbox.conversation_id and later.state = 'pending'
          and later.id > outbox.id)`.as('isFollowed'),
    )
    .returning(sql<boolean>`created_at < now() - interval '1 day'`.as('isOld'))
    .returning((eb) => [
      jsonObjectFrom(
        eb
          .selectFrom('conversation')
          .select(['conversation.external_id', ...liveColumns])
          .whereRef('conversation.id', '=', 'outbox.conversation_id'),
      )
        .$notNull()
        .as('conversation'),
    ])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { conversation, ...claimed } = row
  const address = { id: conversationId, platform, external_id: conversation.external_id }
  return { ...claimed, address, live: toLiveMessage(conversation) }
}

/** Extends the claim of a message that is being sent. */
export async function extendClaim(db: Db, id: number, claimMs: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(claimMs) })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .execute()
}

function claimEnd(claimMs: number) {
  return sql<Date>`now() + make_interval(secs => ${claimMs / 1000})`
}

/** Releases all claims, for a start with no other process running. */
export async function releaseAllClaims(db: Db): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('pending'))
    .where('claimed_until', 'is not', null)
    .execute()
}
