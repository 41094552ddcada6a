import { sql } from 'kysely'
import type { Db, OutboxRow } from '../schema.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`
const isUntouched = sql<boolean>`outbox.claimed_until is null`

/** A message that nobody else sends now; `isFollowed`: others stood behind it; `isOld`: it waits for a day. */
export type ClaimedMessage = OutboxRow & { readonly isFollowed: boolean; readonly isOld: boolean }

/**
 * Takes the first message of a conversation's line for `claimMs`, past edits that have to wait; undefined when there is none, it may
 * not go yet, or somebody else is at it, or was and `takesOver` is false. In one statement, so that of two that ask at once one gets it.
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
        // An edit that has to wait keeps nothing behind it: it changes no order.
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

/** Keeps a message that is still being sent. */
export async function claimLonger(db: Db, id: number, claimMs: number): Promise<void> {
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

/** For a start that knows that nobody else lives: whoever was sending is gone. */
export async function forgetClaims(db: Db): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('pending'))
    .where('claimed_until', 'is not', null)
    .execute()
}
