import { sql } from 'kysely'
import { fromNow } from '../approval/approvals.ts'
import type { Db } from '../schema.ts'

/** Way to reach a person in private. */
export interface Reach {
  readonly id: string
  /** Private conversation; null if the person has not written there yet. */
  readonly conversationId: string | null
  readonly isAway: boolean
}

/** Returns how to reach these people and all stored approvers and operators, ordered by id. */
export function findReach(db: Db, ids: readonly string[] = []): Promise<Reach[]> {
  return db
    .selectFrom('caller')
    .select(['id', 'private_conversation_id as conversationId'])
    .select(sql<boolean>`coalesce(away_until > now(), false)`.as('isAway'))
    .where((eb) =>
      eb.or([eb('role', '!=', 'user'), ...(ids.length === 0 ? [] : [eb('id', 'in', ids)])]),
    )
    .orderBy('id')
    .execute()
}

/** Returns the private conversations of operators who are not away. */
export async function findOperatorsInPrivate(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('caller')
    .select('private_conversation_id as id')
    .where('role', '=', 'operator')
    .where(sql<boolean>`coalesce(away_until <= now(), true)`)
    .execute()
  return rows.flatMap(({ id }) => (id === null ? [] : [id]))
}

/** Stores a person's private conversation. */
export async function savePrivateConversation(
  db: Db,
  id: string,
  conversationId: string,
): Promise<void> {
  await db
    .updateTable('caller')
    .set({ private_conversation_id: conversationId })
    .where('id', '=', id)
    .where(sql<boolean>`private_conversation_id is distinct from ${conversationId}`)
    .execute()
}

/** Marks a person as away for `forMs`, or until they return; returns the end. */
export async function startAway(
  db: Db,
  id: string,
  forMs: number | undefined,
): Promise<Date | undefined> {
  const until = forMs === undefined ? sql<Date>`'infinity'::timestamptz` : fromNow(forMs)
  const { away_until } = await db
    .updateTable('caller')
    .set({ away_until: until })
    .where('id', '=', id)
    .returning('away_until')
    .executeTakeFirstOrThrow()
  return forMs === undefined ? undefined : (away_until ?? undefined)
}

/** Marks a person as back; false if they were not away. */
export async function endAway(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('caller')
    .set({ away_until: null })
    .where('id', '=', id)
    .where('away_until', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
