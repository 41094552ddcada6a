import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Where a conversation's passing message stands. `busyMs`: somebody may be changing it for so long still. */
export interface LiveMessage {
  readonly messageId: string | undefined
  readonly turnId: string | undefined
  readonly busyMs: number
}

const none: LiveMessage = { messageId: undefined, turnId: undefined, busyMs: 0 }

export async function findLiveMessage(db: Db, conversationId: string): Promise<LiveMessage> {
  const row = await db
    .selectFrom('conversation')
    .select(['live_message_id', 'live_turn_id', msLeft.as('busy_ms')])
    .where('id', '=', conversationId)
    .executeTakeFirst()
  if (row === undefined) return none
  return {
    messageId: row.live_message_id ?? undefined,
    turnId: row.live_turn_id ?? undefined,
    busyMs: row.busy_ms,
  }
}

const msLeft = sql<number>`
  greatest(0, coalesce(extract(epoch from live_until - now()) * 1000, 0))::integer`

/** Claims the right to change the passing message for `forMs`; undefined: somebody else has it. */
export async function claimLiveMessage(
  db: Db,
  conversationId: string,
  forMs: number,
): Promise<{ readonly messageId: string | undefined } | undefined> {
  const row = await db
    .updateTable('conversation')
    .set({ live_until: sql<Date>`now() + make_interval(secs => ${forMs / 1000})` })
    .where('id', '=', conversationId)
    .where((eb) => eb.or([eb('live_until', 'is', null), eb('live_until', '<', sql<Date>`now()`)]))
    .returning('live_message_id')
    .executeTakeFirst()
  return row === undefined ? undefined : { messageId: row.live_message_id ?? undefined }
}

/** Ends a claim; with `message` also stores which passing message there is now. */
export async function releaseLiveMessage(
  db: Db,
  conversationId: string,
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
    .execute()
}

/** The passing message is gone, or has become a lasting one. */
export async function forgetLiveMessage(db: Db, conversationId: string): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ live_message_id: null, live_turn_id: null })
    .where('id', '=', conversationId)
    .where('live_message_id', 'is not', null)
    .execute()
}

/** For a start that knows that nobody else lives: whoever was changing one is gone. */
export async function forgetLiveClaims(db: Db): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ live_until: null })
    .where('live_until', 'is not', null)
    .execute()
}
