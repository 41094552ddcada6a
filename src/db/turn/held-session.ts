import { sql } from 'kysely'
import type { ConversationRow, SessionRow, TurnRow } from '../schema.ts'

/** A turn's rows, with the session locked. */
export interface LockedRows {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly turn: TurnRow
}

/** Part `held` of a statement: the session, locked, with the columns of its conversation. */
export function heldSession(sessionId: string) {
  return sql`held as (
      select session.*, platform, external_id, conversation.worker as chosen,
        conversation.created_at as conversation_created_at
      from session join conversation on conversation.id = session.conversation_id
      where session.id = ${sessionId} for no key update of session
    )`
}

export type HeldTurn = TurnRow & { readonly held_session: HeldSession }

export function toLockedRows([row]: readonly HeldTurn[]): LockedRows | undefined {
  if (row === undefined) return undefined
  const { held_session: held, ...turn } = row
  return { turn, ...toSession(held) }
}

type Dates<Row, Names extends keyof Row> = Omit<Row, Names> & {
  readonly [Name in Names]: string | Extract<Row[Name], null>
}

export type SessionAsJson = Dates<SessionRow, 'created_at' | 'closed_at'>

interface WithConversation<Time> extends Pick<ConversationRow, 'platform' | 'external_id'> {
  readonly chosen: string | null
  readonly conversation_created_at: Time
}

type HeldSession = SessionAsJson & WithConversation<string>

/** JSON has times as text. */
export function fromJson(session: SessionAsJson): SessionRow {
  const { created_at, closed_at } = session
  return {
    ...session,
    created_at: new Date(created_at),
    closed_at: closed_at === null ? null : new Date(closed_at),
  }
}

function toSession(held: HeldSession) {
  const { session, conversation } = apart(held)
  const created_at = new Date(conversation.created_at)
  return { session: fromJson(session), conversation: { ...conversation, created_at } }
}

/** A session that was read with the columns of its conversation, and that conversation. */
export function apart<Time, Row extends { readonly conversation_id: string }>({
  platform,
  external_id,
  chosen,
  conversation_created_at,
  ...session
}: Row & WithConversation<Time>) {
  const id = session.conversation_id
  const conversation = {
    id,
    platform,
    external_id,
    worker: chosen,
    created_at: conversation_created_at,
  }
  return { session, conversation }
}
