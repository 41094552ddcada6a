import { sql } from 'kysely'
import { chatOf } from '../../domain/caller.ts'
import type { Db } from '../schema.ts'

/** State of a conversation's transient message. `busyMs`: remaining time of a claim on it. */
export interface LiveMessage {
  readonly messageId: string | undefined
  readonly turnId: string | undefined
  readonly busyMs: number
}

const none: LiveMessage = { messageId: undefined, turnId: undefined, busyMs: 0 }

export async function findLiveMessage(db: Db, conversationId: string): Promise<LiveMessage> {
  const row = await db
    .selectFrom('conversation')
    .select(liveColumns)
    .where('id', '=', conversationId)
    .executeTakeFirst()
  return row === undefined ? none : toLiveMessage(row)
}

const msLeft = sql<number>`
  greatest(0, coalesce(extract(epoch from live_until - now()) * 1000, 0))::integer`

/** Columns of `conversation` that `toLiveMessage` reads. */
export const liveColumns = ['live_message_id', 'live_turn_id', msLeft.as('busy_ms')] as const

export function toLiveMessage(row: {
  readonly live_message_id: string | null
  readonly live_turn_id: string | null
  readonly busy_ms: number
}): LiveMessage {
  return {
    messageId: row.live_message_id ?? undefined,
    turnId: row.live_turn_id ?? undefined,
    busyMs: row.busy_ms,
  }
}

/** True if the message is the transient one of any conversation in this chat. */
export async function isLiveMessage(
  db: Db,
  { platform, external_id }: { readonly platform: string; readonly external_id: string },
  messageId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('conversation')
    .select('id')
    .where('platform', '=', platform)
    .where(sql<boolean>`split_part(external_id, '/', 1) = ${chatOf(external_id)}`)
    .where('live_message_id', '=', messageId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Claim on a transient message. `until` is its end as the database formats it, which identifies the claim. */
export interface LiveClaim {
  readonly messageId: string | undefined
  readonly until: string
}

/** Claims the transient message for `forMs`; undefined if another gateway holds it. */
export async function claimLiveMessage(
  db: Db,
  conversationId: string,
  forMs: number,
): Promise<LiveClaim | undefined> {
  const row = await db
    .updateTable('conversation')
    // Uses the current time rather than the start of the transaction, which may have waited for the row.
    .set({ live_until: sql<Date>`clock_timestamp() + make_interval(secs => ${forMs / 1000})` })
    .where('id', '=', conversationId)
    .where((eb) => eb.or([eb('live_until', 'is', null), eb('live_until', '<', sql<Date>`now()`)]))
    .returning(['live_message_id', sql<string>`live_until::text`.as('until')])
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { messageId: row.live_message_id ?? undefined, until: row.until }
}

/** Releases a claim that is still valid; `message` replaces the stored transient message. */
export async function releaseLiveMessage(
  db: Db,
  conversationId: string,
  { until }: LiveClaim,
  message?: { readonly id: string; readonly turnId: string },
): Promise<void> {
  await db
    .updateTable('conversation')
    .set({
      live_until: null,
      ...(message === undefined
        ? {}
        : { live_message_id: message.id, live_turn_id: message.turnId }),
    })
    .where('id', '=', conversationId)
    .where(sql<boolean>`live_until = ${until}::timestamptz`)
    .execute()
}

/** Clears the transient message, which was removed or became a lasting one. */
export async function forgetLiveMessage(db: Db, conversationId: string): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ live_message_id: null, live_turn_id: null })
    .where('id', '=', conversationId)
    .where('live_message_id', 'is not', null)
    .execute()
}

/** Releases all claims, for a start with no other process running. */
export async function releaseAllLiveClaims(db: Db): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ live_until: null })
    .where('live_until', 'is not', null)
    .execute()
}
