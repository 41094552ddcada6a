import { sql } from 'kysely'
import type { Usage } from '../../domain/message.ts'
import { liveTurnStates } from '../../domain/turn.ts'
import { newId } from '../../util/ids.ts'
import { literals } from '../literals.ts'
import type { ConversationRow, Db, SessionRow, TurnRow } from '../schema.ts'
import { leaseMs } from './turns.ts'

/**
 * The statements of a plain turn's two transactions. Parts of one statement see the database as it was when the statement
 * began, also if it then waited for a lock; only rows that it locks or changes are looked at as they are by then.
 */
const live = sql.join(literals(liveTurnStates))

/** A turn's rows, with the session locked. */
interface LockedRows {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly turn: TurnRow
}

/**
 * Stores a message of a person as unread, marks the event that brought it as handled, and starts a turn for the oldest
 * unread message of the session if none is live. To be called with the open session locked by an earlier statement, so that
 * the end of a turn is seen. Returns the message's id, and that of the turn if one was started.
 */
export async function keepMessage(
  db: Db,
  message: {
    readonly eventId: string
    readonly sessionId: string
    readonly author: string
    readonly text: string
  },
): Promise<{ readonly messageId: string; readonly turnId: string | undefined }> {
  const { eventId, sessionId, author, text } = message
  const messageId = newId()
  const { rows } = await sql<{ id: string }>`
    with kept as (
      insert into message (id, session_id, role, author, body)
      values (${messageId}, ${sessionId}, 'user', ${author}, ${text})
    ), handled as (
      update inbound_event set handled_at = now(), failure = null, answer = null where id = ${eventId}
    )
    insert into turn (id, session_id, caller_id, state, next_due)
    select ${newId()}::uuid, ${sessionId}::uuid, coalesce((
      select author from message where session_id = ${sessionId} and position is null
      order by arrival limit 1), ${author}), 'queued', now()
    where not exists (
      select from turn where session_id = ${sessionId} and state in (${live}))
    returning id`.execute(db)
  return { messageId, turnId: rows[0]?.id }
}

/**
 * Locks the session, lets the turn think in `step`, and gives what its caller wrote a place in the transcript. Messages of
 * others wait for a turn of their own (LOOP-03, threat 6); so does what waits for its files, and what was written after
 * it (CHAT-07). undefined if the lease was lost.
 *
 * A message that is stored while this waits for the lock is not seen; the next step reads it, or the end of the turn
 * starts another one for it (rule 7).
 */
export async function beginStep(
  db: Db,
  { id, session_id: sessionId, epoch }: Pick<TurnRow, 'id' | 'session_id' | 'epoch'>,
  step: number,
): Promise<LockedRows | undefined> {
  const { rows } = await sql<TurnRow & { held_session: HeldSession }>`
    with held as (
      select session.*, platform, external_id, conversation.worker as chosen,
        conversation.created_at as conversation_created_at
      from session join conversation on conversation.id = session.conversation_id
      where session.id = ${sessionId} for no key update of session
    ), own as (
      update turn set state = 'thinking', step = ${step},
        lease_until = now() + make_interval(secs => ${sql.lit(leaseMs / 1000)})
      from held where turn.id = ${id} and turn.epoch = ${epoch} and turn.state in (${live})
      returning turn.*
    ), unread as (
      select message.id, row_number() over (order by arrival) as ordinal,
        bool_or(exists (
          select from upload where upload.message_id = message.id and upload.state != 'told'
        )) over (order by arrival) as waits
      from message join own on message.session_id = own.session_id and message.author = own.caller_id
      where message.position is null
    ), counted as (
      update session set next_position = next_position + (select count(*) from unread where not waits)
      where id = ${sessionId} and exists (select from unread where not waits)
      returning next_position - (select count(*) from unread where not waits) as first
    ), placed as (
      update message set position = counted.first + unread.ordinal - 1, turn_id = ${id}
      from counted, unread
      where message.id = unread.id and not unread.waits and message.position is null
    )
    select own.*, to_jsonb(held) as held_session from own, held`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { held_session: held, ...turn } = row
  return { turn, ...toSession(held) }
}

type Dates<Row, Names extends keyof Row> = Omit<Row, Names> & {
  readonly [Name in Names]: string | Extract<Row[Name], null>
}

type HeldSession = Dates<SessionRow, 'created_at' | 'closed_at' | 'files_changed_at'> &
  Pick<ConversationRow, 'platform' | 'external_id'> & {
    readonly chosen: string | null
    readonly conversation_created_at: string
  }

/** JSON has times as text. */
function toSession({
  platform,
  external_id,
  chosen,
  conversation_created_at,
  ...held
}: HeldSession) {
  const session = {
    ...held,
    created_at: new Date(held.created_at),
    closed_at: held.closed_at === null ? null : new Date(held.closed_at),
    files_changed_at: held.files_changed_at === null ? null : new Date(held.files_changed_at),
  }
  const conversation = {
    id: held.conversation_id,
    platform,
    external_id,
    worker: chosen,
    created_at: new Date(conversation_created_at),
  }
  return { session, conversation }
}

/** What a turn ends with. */
export interface TurnEnd {
  readonly usageId: string
  readonly usage: Usage
  readonly costUsd: number | undefined
  /** The model's message for the transcript. */
  readonly author: string
  readonly body: string
  /** What people are told, in this order, the answer last. */
  readonly conversationId: string
  readonly outgoing: readonly string[]
}

export interface EndedTurn {
  readonly turn: TurnRow
  /** The turn that was started for what is unread (rule 7). */
  readonly nextId: string | undefined
}

/**
 * Ends a turn with the model's answer, and starts the next one if something is unread and the session is open. undefined if
 * the lease was lost; then only the usage is stored, as superseded. To be called with the session locked by an earlier
 * statement, so that every message that was stored before is seen.
 */
export async function endWithAnswer(
  db: Db,
  { id, epoch }: Pick<TurnRow, 'id' | 'epoch'>,
  { usageId, usage, costUsd, author, body, conversationId, outgoing }: TurnEnd,
): Promise<EndedTurn | undefined> {
  const { rows } = await sql<TurnRow & { next_id: string | null }>`
    with ended as (
      update turn set state = 'done', epoch = epoch + 1, lease_owner = null, lease_until = null,
        next_due = null, stopped_by = null, failure = null, ended_at = now()
      where id = ${id} and epoch = ${epoch} and state in (${live})
      returning *
    ), used as (
      update usage set state = case when exists (select from ended) then 'done' else 'superseded' end,
        input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens},
        cache_read_tokens = ${usage.cacheReadTokens},
        cache_write_tokens = ${usage.cacheWriteTokens}, cost_usd = ${costUsd ?? null}
      where id = ${usageId}
    ), taken as (
      update session set next_position = next_position + 1 from ended where session.id = ended.session_id
      returning next_position - 1 as first, session.state
    ), said as (
      insert into message (id, session_id, turn_id, position, role, author, body)
      select ${newId()}::uuid, ended.session_id, ended.id, taken.first, 'assistant', ${author}, ${body}
      from ended, taken
    ), posted as (
      insert into outbox (conversation_id, body, addressee)
      select ${conversationId}::uuid, message.body, ended.caller_id
      from ended, unnest(${[...outgoing]}::text[]) with ordinality as message (body, place)
      order by place
    ), next as (
      insert into turn (id, session_id, caller_id, state, next_due)
      select ${newId()}::uuid, message.session_id, message.author, 'queued', now()
      from ended join taken on taken.state = 'open'
        join message on message.session_id = ended.session_id and message.position is null
      order by message.arrival limit 1
      returning id
    )
    select ended.*, (select id from next) as next_id from ended`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { next_id: nextId, ...turn } = row
  return { turn, nextId: nextId ?? undefined }
}
