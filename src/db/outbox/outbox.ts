import { sql } from 'kysely'
import { chatOf } from '../../domain/caller.ts'
import type { Db, OutboxRow } from '../schema.ts'

const now = sql<Date>`now()`
const isUnclaimed = sql<boolean>`(outbox.claimed_until is null or outbox.claimed_until < now())`

/** Caller whom the message answers, and id of the outbox row that it edits. */
export interface OutgoingOptions {
  readonly to?: string
  readonly editOf?: number
}

/** Appends a message to the conversation's queue; returns its id. */
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

/** Deletes unclaimed edits of the same message, since only the last one matters. */
export async function dropPendingEdits(db: Db, editOf: number): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where('edit_of', '=', editOf)
    .where('state', '=', sql.lit('pending'))
    .where(isUnclaimed)
    .execute()
}

/** Deletes an edit that a later one has superseded, and returns true; sending it would restore an old state. */
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

/** Returns a sent message by the platform's id, with its current or pending text. */
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

/** True if an identical unclaimed message to this person is pending. */
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

/** True if a conversation has a due message, or one that is being sent. */
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

/** Returns conversations of a platform with due messages. */
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

/** Replaces the body of a secret message once it was sent or given up. */
const erasedBody = JSON.stringify({ kind: 'notice', text: '[what stood here is forgotten]' })
/** Matches the key only: within JSON strings, quotation marks are escaped. */
const bodyToKeep = sql<string>`
  case when position('"isSecret":true' in body) > 0 then ${erasedBody} else body end`

/** Records that a message was sent; false if that was recorded before. */
export async function markSent(
  db: Db,
  id: number,
  externalMessageId: string,
  isCut = false,
): Promise<boolean> {
  return (await sentUpdate(db, id, externalMessageId, isCut).executeTakeFirst()) !== undefined
}

/** The same of a message that has taken the place of the transient one, if there was one: nobody may remove it any more. */
export async function markSentForLive(
  db: Db,
  id: number,
  externalMessageId: string,
  isCut = false,
): Promise<boolean> {
  const row = await db
    .with('forgotten', (query) =>
      query
        .updateTable('conversation')
        .set({ live_message_id: null, live_turn_id: null })
        .where('live_message_id', 'is not', null)
        .where('id', '=', (eb) =>
          eb.selectFrom('outbox').select('conversation_id').where('id', '=', id),
        ),
    )
    .with('sent', () => sentUpdate(db, id, externalMessageId, isCut))
    .selectFrom('sent')
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}

function sentUpdate(db: Db, id: number, externalMessageId: string, isCut: boolean) {
  return db
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
}

export async function markDead(db: Db, id: number, failure: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ state: 'dead', failure, body: bodyToKeep })
    .where('id', '=', id)
    .execute()
}

/** Stores the ids of the parts sent so far. */
export async function saveParts(db: Db, id: number, parts: readonly string[]): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ parts: JSON.stringify(parts) })
    .where('id', '=', id)
    .execute()
}

/** Postpones a message. `counts`: the attempt counts as a failed one. */
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

/** True if a conversation has pending messages. */
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

/** SQL condition: the outbox row was sent as this message, or has it as a part. */
export function isMessage(externalMessageId: string) {
  return sql<boolean>`(
    outbox.external_message_id = ${externalMessageId}
    or (outbox.parts <> '[]' and outbox.parts::jsonb ? ${externalMessageId}))`
}

/** True if the outbox has sent this message in the conversation's chat. Message ids are unique across the topics of a chat. */
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

/** Records a message that already exists on the platform; returns its outbox id. `isCut`: it may be truncated. */
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
