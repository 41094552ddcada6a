import { sql } from 'kysely'
import { chatOf } from '../../domain/chat-address.ts'
import type { Db, OutboxRow } from '../schema.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`

/** Whom a message answers, and the number of the one that it changes. */
export interface OutgoingOptions {
  readonly to?: string
  readonly editOf?: number
}

/** Adds a message to people at the end of its conversation's line; answers its number. */
export async function insertOutgoing(
  db: Db,
  conversationId: string,
  body: string,
  { to, editOf }: OutgoingOptions = {},
): Promise<number> {
  const row = await db
    .insertInto('outbox')
    .values({
      conversation_id: conversationId,
      body,
      edit_of: editOf ?? null,
      addressee: to ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Drops edits of the same message that nobody is sending: only the last is worth it. */
export async function dropPendingEdits(db: Db, editOf: number): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where('edit_of', '=', editOf)
    .where('state', '=', sql.lit('pending'))
    .where(isUnclaimed)
    .execute()
}

/** Whether a later edit of the same message was sent or waits; then this one is dropped: it would put back what no longer is so. */
export async function dropSuperseded(
  db: Db,
  { id, edit_of: editOf }: Pick<OutboxRow, 'id' | 'edit_of'>,
): Promise<boolean> {
  if (editOf === null) return false
  const dropped = await db
    .deleteFrom('outbox')
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('outbox as later')
          .select('later.id')
          .where('later.edit_of', '=', editOf)
          .where('later.id', '>', id)
          .where('later.state', 'in', ['pending', 'sent']),
      ),
    )
    .executeTakeFirst()
  return dropped.numDeletedRows > 0n
}

export function findOutgoing(db: Db, id: number): Promise<OutboxRow | undefined> {
  return db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A message as it was sent and last changed: by the platform's id of it, with what it reads now, or soon. */
export async function findShown(
  db: Db,
  conversationId: string,
  messageId: string,
): Promise<{ readonly id: number; readonly body: string } | undefined> {
  const sent = await db
    .selectFrom('outbox')
    .select(['id', 'body'])
    .where('conversation_id', '=', conversationId)
    .where('external_message_id', '=', messageId)
    .where('edit_of', 'is', null)
    .executeTakeFirst()
  if (sent === undefined) return undefined
  const edit = await db
    .selectFrom('outbox')
    .select('body')
    .where('edit_of', '=', sent.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { id: sent.id, body: edit?.body ?? sent.body }
}

/** Whether this very message waits to be sent to somebody. */
export async function isPending(
  db: Db,
  conversationId: string,
  body: string,
  to: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('state', '=', sql.lit('pending'))
    .where('body', '=', body)
    .where('addressee', '=', to)
    .where(isUnclaimed)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a conversation has something to send now, or somebody is sending it. */
export async function hasOutgoingNow(db: Db, conversationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('state', '=', sql.lit('pending'))
    .where((eb) => eb.or([eb('not_before', '<=', now), eb('claimed_until', '>', now)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Conversations of a platform with something to send now. */
export async function findWaitingOutboxes(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select('outbox.conversation_id')
    .distinct()
    .where('conversation.platform', '=', platform)
    .where('outbox.state', '=', 'pending')
    .where('outbox.not_before', '<=', now)
    .where(isUnclaimed)
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** What stays of words that are a secret, once they were sent or never will be. */
const forgotten = JSON.stringify({ kind: 'notice', text: '[what stood here is forgotten]' })
/** In JSON, quotation marks that belong to a text have a backslash before them: this is a key and no words of anybody. */
const bodyToKeep = sql<string>`
  case when position('"isSecret":true' in body) > 0 then ${forgotten} else body end`

/** Stores that a message went; false: it was stored before, since somebody else had sent it too. */
export async function markSent(
  db: Db,
  id: number,
  externalMessageId: string,
  isCut = false,
): Promise<boolean> {
  const row = await db
    .updateTable('outbox')
    .set({
      state: 'sent',
      external_message_id: externalMessageId,
      is_cut: isCut,
      sent_at: now,
      body: bodyToKeep,
    })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function markDead(db: Db, id: number, failure: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ state: 'dead', failure, body: bodyToKeep })
    .where('id', '=', id)
    .execute()
}

/** Stores the ids of the parts that went. */
export async function saveParts(db: Db, id: number, parts: readonly string[]): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ parts: JSON.stringify(parts) })
    .where('id', '=', id)
    .execute()
}

/** Puts a message off. `counts`: it is one of its tries. */
export async function postpone(
  db: Db,
  id: number,
  later: { readonly afterMs: number; readonly why: string; readonly counts: boolean },
): Promise<void> {
  const { afterMs, why, counts } = later
  await db
    .updateTable('outbox')
    .set((eb) => ({
      attempts: eb('attempts', '+', counts ? 1 : 0),
      not_before: sql<Date>`now() + make_interval(secs => ${afterMs / 1000})`,
      claimed_until: null,
      failure: why,
    }))
    .where('id', '=', id)
    .execute()
}

/** Whether anything of a conversation still waits to be sent. */
export async function hasPendingOutgoing(db: Db, conversationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('state', '=', sql.lit('pending'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a row of the outbox is the message with this id, or has it as a part. */
export function isMessage(externalMessageId: string) {
  return sql<boolean>`(
    outbox.external_message_id = ${externalMessageId}
    or (outbox.parts <> '[]' and outbox.parts::jsonb ? ${externalMessageId}))`
}

/**
 * Whether the outbox knows a message in the chat of this conversation, as whatever. All topics of a chat number their
 * messages together.
 */
export async function isKnownMessage(
  db: Db,
  conversation: { readonly id: string; readonly platform: string; readonly external_id: string },
  externalMessageId: string,
): Promise<boolean> {
  const ofChat = db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select('outbox.id')
    .where('conversation.platform', '=', conversation.platform)
    .where(
      sql<boolean>`split_part(conversation.external_id, '/', 1) = ${chatOf(conversation.external_id)}`,
    )
    .limit(1)
  const whole = await ofChat
    .where('outbox.external_message_id', '=', externalMessageId)
    .executeTakeFirst()
  if (whole !== undefined) return true
  const part = await ofChat
    .where('outbox.parts', '<>', sql.lit('[]'))
    .where(sql<boolean>`outbox.parts::jsonb ? ${externalMessageId}`)
    .executeTakeFirst()
  return part !== undefined
}

/** Notes a message that is there already, as the platform names it; answers its number. `isCut`: it may not show all. */
export async function insertSent(
  db: Db,
  conversationId: string,
  body: string,
  externalMessageId: string,
  isCut = false,
): Promise<number> {
  const row = await db
    .insertInto('outbox')
    .values({
      conversation_id: conversationId,
      body,
      state: 'sent',
      external_message_id: externalMessageId,
      is_cut: isCut,
      sent_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}
