import { sql } from 'kysely'
import type { Db, OutboxRow } from '../schema.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`
const isUntouched = sql<boolean>`outbox.claimed_until is null`

/** Message claimed for sending. `isFollowed`: others wait behind it; `isOld`: it has waited for a day. */
export type ClaimedMessage = OutboxRow & { readonly isFollowed: boolean; readonly isOld: boolean }

/**
 * Claims the first pending message of a conversation for `claimMs`, skipping edits that are not due. Returns undefined if
 * there is none, it is not due, or it is claimed; with `takesOver` false also if an expired claim remains. One statement,
 * so that only one of two concurrent callers gets it.
 */
export function claimOutgoing(
  db: Db,
  conversationId: string,
  { claimMs, takesOver }: { readonly claimMs: number; readonly takesOver: boolean },
): Promise<ClaimedMessage | undefined> {
  return db
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(claimMs) })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('outbox')
        .select('id')
        .where('conversation_id', '=', conversationId)
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
    .executeTakeFirst()
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
