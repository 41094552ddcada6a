import { sql } from 'kysely'
import { chatOf } from '../../domain/caller.ts'
import { newId } from '../../util/ids.ts'
import type { ConversationRow, Db } from '../schema.ts'

/**
 * Returns the conversation at an address, creating it if needed; safe for concurrent calls (INT-21). `privateOf`: the known
 * caller whose private conversation it is, which is stored.
 */
export async function ensureConversation(
  db: Db,
  platform: string,
  externalId: string,
  privateOf?: string,
): Promise<ConversationRow> {
  const find = () =>
    privateOf === undefined
      ? findConversation(db, platform, externalId)
      : findPrivate(db, { platform, externalId, callerId: privateOf })
  const found = await find()
  if (found !== undefined) return found
  await db
    .insertInto('conversation')
    .values({ id: newId(), platform, external_id: externalId })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doNothing())
    .execute()
  const made = await find()
  if (made === undefined) throw new Error(`conversation ${platform}:${externalId} vanished`)
  return made
}

async function findPrivate(
  db: Db,
  of: { readonly platform: string; readonly externalId: string; readonly callerId: string },
): Promise<ConversationRow | undefined> {
  const { rows } = await sql<ConversationRow>`
    with found as (
      select * from conversation where platform = ${of.platform} and external_id = ${of.externalId}
    ), noted as (
      update caller set private_conversation_id = found.id from found
      where caller.id = ${of.callerId} and private_conversation_id is distinct from found.id
    )
    select * from found`.execute(db)
  return rows[0]
}

/** Returns the conversation at an address. */
export function findConversation(
  db: Db,
  platform: string,
  externalId: string,
): Promise<ConversationRow | undefined> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .executeTakeFirst()
}

export function getConversation(db: Db, id: string): Promise<ConversationRow> {
  return db.selectFrom('conversation').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Stores the worker for a conversation's messages; null for the configured one. */
export async function saveWorkerChoice(db: Db, id: string, worker: string | null): Promise<void> {
  await db.updateTable('conversation').set({ worker }).where('id', '=', id).execute()
}

/**
 * Serialises changes of a conversation (its inbox, `/clear`) until the transaction ends. Rows that refer to it can still
 * be inserted, so that the holder of a session can post.
 */
export async function lockConversation(db: Db, id: string): Promise<ConversationRow> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

/**
 * Moves the conversations of a chat and its topics to a new address, except where one already exists; returns whether
 * this one moved.
 */
export async function moveConversations(db: Db, id: string, place: string): Promise<boolean> {
  const { platform, external_id: old } = await getConversation(db, id)
  const [from, to] = [chatOf(old), chatOf(place)]
  await sql`
    update conversation set external_id = ${to} || substr(external_id, length(${from}::text) + 1)
    where platform = ${platform} and split_part(external_id, '/', 1) = ${from}
      and not exists (
        select from conversation as there
        where there.platform = conversation.platform
          and there.external_id = ${to} || substr(conversation.external_id, length(${from}::text) + 1))`.execute(
    db,
  )
  return (await getConversation(db, id)).external_id !== old
}
