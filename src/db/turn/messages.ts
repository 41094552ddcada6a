import { type RawBuilder, sql } from 'kysely'
import type { Db, MessageRow } from '../schema.ts'

/** Replaces the text of an unread message. */
export async function setUnreadBody(db: Db, id: string, body: string): Promise<void> {
  await db
    .updateTable('message')
    .set({ body })
    .where('id', '=', id)
    .where('position', 'is', null)
    .execute()
}

/** Returns the unread messages of a session, oldest first. */
export function findUnread(db: Db, sessionId: string): Promise<MessageRow[]> {
  return db
    .selectFrom('message')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('position', 'is', null)
    .orderBy('arrival')
    .execute()
}

/**
 * Returns the subject of a turn: all messages of its caller that it has read or is about to read; after `/retry` the last
 * one before.
 */
export async function findTurnText(
  db: Db,
  turn: { id: string; session_id: string; caller_id: string },
): Promise<string> {
  const own = await messagesBy(db, turn)
    .where((eb) => eb.or([eb('turn_id', '=', turn.id), eb('position', 'is', null)]))
    .orderBy('arrival')
    .execute()
  if (own.length > 0) return own.map(({ body }) => body).join('\n\n')
  const last = await messagesBy(db, turn).orderBy('arrival', 'desc').limit(1).executeTakeFirst()
  return last?.body ?? ''
}

function messagesBy(db: Db, turn: { session_id: string; caller_id: string }) {
  return db
    .selectFrom('message')
    .select('body')
    .where('session_id', '=', turn.session_id)
    .where('author', '=', turn.caller_id)
    .where('role', '=', sql.lit('user'))
}

/** Moves unread messages to another session, except those of `author`. */
export async function moveUnread(
  db: Db,
  fromSession: string,
  toSession: string,
  author: string,
): Promise<void> {
  await db
    .updateTable('message')
    .set({ session_id: toSession })
    .where('session_id', '=', fromSession)
    .where('position', 'is', null)
    .where('author', '!=', author)
    .execute()
}

/** Returns the last messages of a person that the model has read, newest first. */
export async function findLastWritten(
  db: Db,
  sessionId: string,
  author: string,
  most: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('message')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('role', '=', sql.lit('user'))
    .where('author', '=', author)
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(most)
    .execute()
  return rows.map(({ body }) => body)
}

/** Returns the stored text of a message. */
export async function getMessageBody(db: Db, id: string): Promise<string> {
  const { body } = await db
    .selectFrom('message')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return body
}

/** Assigns transcript positions to messages in the given order, as read by a turn. */
export async function assignPositions(
  db: Db,
  turn: { id: string; session_id: string },
  messages: readonly MessageRow[],
): Promise<void> {
  const count = messages.length
  if (count === 0) return
  const ids = messages.map((message) => message.id)
  await sql`
    with taken as (${takePositions(db, turn.session_id, count)})
    update message
    set position = taken.first + place.ordinal - 1, turn_id = ${turn.id}
    from taken, unnest(${ids}::uuid[]) with ordinality as place (id, ordinal)
    where message.id = place.id`.execute(db)
}

/** Takes the next positions of the transcript and returns the first, as part of a statement that fills them. */
function takePositions(db: Db, sessionId: string, count: number) {
  return db
    .updateTable('session')
    .set((eb) => ({ next_position: eb('next_position', '+', count) }))
    .where('id', '=', sessionId)
    .returning((eb) => eb('next_position', '-', count).as('first'))
}

/** Half-open range of transcript positions. */
export interface Positions {
  readonly from: number | RawBuilder<number>
  /** Exclusive end; undefined for the end of the transcript. */
  readonly to?: number | undefined
}

/** Selects the messages of the transcript in order. */
export function selectTranscript(db: Db, sessionId: string, { from, to }: Positions) {
  return db
    .selectFrom('message')
    .leftJoin('caller', 'caller.id', 'message.author')
    .select([
      'message.id',
      'message.turn_id',
      'message.position',
      'message.role',
      'message.author',
      'message.body',
      'message.shortened',
      'message.is_left_out',
      'caller.name as author_name',
    ])
    .where('session_id', '=', sessionId)
    .where('position', '>=', from)
    .$if(to !== undefined, (query) => query.where('position', '<', to ?? 0))
    .orderBy('position')
}

/** Selects tool results grouped by the message that requested them, in the order of the calls. */
export function selectCallResults(db: Db, sessionId: string, { from, to }: Positions) {
  return db
    .selectFrom('tool_call')
    .innerJoin('message', 'message.id', 'tool_call.message_id')
    .select([
      'tool_call.message_id',
      'tool_call.model_call_id',
      'tool_call.tool',
      'tool_call.arguments',
      'tool_call.edited_by',
      'tool_call.state',
      'tool_call.result',
      'tool_call.compacted',
      'tool_call.compacted_arguments',
      'tool_call.summary',
      'tool_call.is_error',
      'tool_call.step',
      'tool_call.ordinal',
    ])
    .where('tool_call.session_id', '=', sessionId)
    .where('message.position', '>=', from)
    .$if(to !== undefined, (query) => query.where('message.position', '<', to ?? 0))
    .orderBy('tool_call.message_id')
    .orderBy('tool_call.ordinal')
}

export async function countMessages(db: Db, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom('message')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Counts how many of these messages exist in a session. */
export async function countMessagesOf(
  db: Db,
  sessionId: string,
  ids: readonly string[],
): Promise<number> {
  const row = await db
    .selectFrom('message')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('session_id', '=', sessionId)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Returns a message's position in the transcript, and whether it is left out (LOOP-12). */
export async function findTranscriptPosition(
  db: Db,
  sessionId: string,
  id: string,
): Promise<{ readonly position: number; readonly isLeftOut: boolean } | undefined> {
  const row = await db
    .selectFrom('message')
    .select(['position', 'is_left_out'])
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined || row.position === null) return undefined
  return { position: row.position, isLeftOut: row.is_left_out }
}
