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

export type SessionAsJson = Dates<SessionRow, 'created_at' | 'closed_at' | 'files_changed_at'>

type HeldSession = SessionAsJson &
  Pick<ConversationRow, 'platform' | 'external_id'> & {
    readonly chosen: string | null
    readonly conversation_created_at: string
  }

/** JSON has times as text. */
export function fromJson(session: SessionAsJson): SessionRow {
  const { created_at, closed_at, files_changed_at } = session
  return {
    ...session,
    created_at: new Date(created_at),
    closed_at: closed_at === null ? null : new Date(closed_at),
    files_changed_at: files_changed_at === null ? null : new Date(files_changed_at),
  }
}

function toSession({
  platform,
  external_id,
  chosen,
  conversation_created_at,
  ...held
}: HeldSession) {
  const session = fromJson(held)
  const conversation = {
    id: held.conversation_id,
    platform,
    external_id,
    worker: chosen,
    created_at: new Date(conversation_created_at),
  }
  return { session, conversation }
}
