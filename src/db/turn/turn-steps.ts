import { type RawBuilder, sql } from 'kysely'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Usage } from '../../domain/message.ts'
import { liveTurnStates } from '../../domain/turn.ts'
import { newId } from '../../util/ids.ts'
import { literals } from '../literals.ts'
import { selectWaitingWithCaller } from '../outbox/inbox.ts'
import type { Db, InboundEventRow, TurnRow } from '../schema.ts'
import {
  fromJson,
  type HeldTurn,
  heldSession,
  type LockedRows,
  type SessionAsJson,
  toLockedRows,
} from './held-session.ts'
import { awaitsReasonOf, type OpenSession } from './sessions.ts'
import { leaseMs } from './turns.ts'

/**
 * The statements of a turn's transactions. Parts of one statement see the database as it was when the statement
 * began, also if it then waited for a lock; only rows that it locks or changes are looked at as they are by then.
 */
const live = sql.join(literals(liveTurnStates))

/** Oldest due events of a conversation, with what handling a message takes. */
export interface NextEvents {
  readonly first: InboundEventRow & {
    readonly caller: (Caller & { readonly pairedRole: Role | null }) | null
  }
  readonly hasMore: boolean
  /** Open session, locked, if the first one is a message and there is a session. */
  readonly open: OpenSession | undefined
}

/**
 * Returns the oldest due events of a conversation; for a message it locks the open session at `worker` as well. To be called
 * with the conversation locked by an earlier statement, so that what its last holder handled is not found again.
 */
export async function findNextEvents(
  db: Db,
  conversationId: string,
  worker: string,
): Promise<NextEvents | undefined> {
  const { rows } = await sql<
    NextEvents['first'] & { open: (SessionAsJson & { awaits_reason: boolean }) | null }
  >`
    with due as (${selectWaitingWithCaller(db, conversationId, 2)}), open as (
      select session.*, ${awaitsReasonOf(conversationId, sql.ref('first.caller_id'))} as awaits_reason
      from session, (select * from due order by arrival limit 1) as first
      where session.conversation_id = ${conversationId} and worker = ${worker} and session.state = 'open'
        and first.body like '{"kind":"message",%'
      for no key update of session
    )
    select due.*, (select to_jsonb(open) from open) as open from due order by arrival`.execute(db)
  const [row, following] = rows
  if (row === undefined) return undefined
  const { open: held, ...first } = row
  const hasMore = following !== undefined
  if (held === null) return { first, hasMore, open: undefined }
  const { awaits_reason: awaitsReason, ...session } = held
  return { first, hasMore, open: { session: fromJson(session), awaitsReason } }
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

const renewed = sql`lease_until = now() + make_interval(secs => ${sql.lit(leaseMs / 1000)})`

type LeasedTurn = Pick<TurnRow, 'id' | 'session_id' | 'epoch'>

/** Locks the session and renews the turn's lease; undefined if it was lost. Later statements see what was committed before. */
export async function holdTurn(
  db: Db,
  { id, session_id: sessionId, epoch }: LeasedTurn,
): Promise<LockedRows | undefined> {
  const { rows } = await sql<HeldTurn>`
    with ${heldSession(sessionId)}, own as (
      update turn set ${renewed}
      from held where turn.id = ${id} and turn.epoch = ${epoch} and turn.state in (${live})
      returning turn.*
    )
    select own.*, to_jsonb(held) as held_session from own, held`.execute(db)
  return toLockedRows(rows)
}

/**
 * Locks the session, lets the turn act, and stores the model's message, whose calls follow. undefined if the lease was lost;
 * then only the usage is stored, as superseded.
 */
export async function beginActing(
  db: Db,
  { id, session_id: sessionId, epoch }: LeasedTurn,
  { usageId, usage, costUsd, author, body }: ModelMessage,
): Promise<(LockedRows & { readonly messageId: string }) | undefined> {
  const messageId = newId()
  const { rows } = await sql<HeldTurn>`
    with ${heldSession(sessionId)}, own as (
      update turn set state = 'acting', crashes = 0, model_failures = 0, model_failing_since = null, ${renewed}
      from held where turn.id = ${id} and turn.epoch = ${epoch} and turn.state in (${live})
      returning turn.*
    ), used as (${endUsageIf(sql`exists (select from own)`, usageId, { usage, costUsd })}), taken as (
      update session set next_position = next_position + 1 from own where session.id = own.session_id
      returning next_position - 1 as first
    ), said as (
      insert into message (id, session_id, turn_id, position, role, author, body)
      select ${messageId}::uuid, own.session_id, own.id, taken.first, 'assistant', ${author}, ${body}
      from own, taken
    )
    select own.*, to_jsonb(held) as held_session from own, held`.execute(db)
  const locked = toLockedRows(rows)
  return locked && { ...locked, messageId }
}

/** Stores what a model call used: as done, or as superseded unless `isOurs`. */
function endUsageIf(
  isOurs: RawBuilder<unknown>,
  id: string,
  { usage, costUsd }: Pick<ModelMessage, 'usage' | 'costUsd'>,
) {
  return sql`
      update usage set state = case when ${isOurs} then 'done' else 'superseded' end,
        input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens},
        cache_read_tokens = ${usage.cacheReadTokens},
        cache_write_tokens = ${usage.cacheWriteTokens}, cost_usd = ${costUsd ?? null}
      where id = ${id}`
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
  { id, session_id: sessionId, epoch }: LeasedTurn,
  step: number,
): Promise<LockedRows | undefined> {
  const { rows } = await sql<HeldTurn>`
    with ${heldSession(sessionId)}, own as (
      update turn set state = 'thinking', step = ${step}, ${renewed}
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
  return toLockedRows(rows)
}

/** Message of the model, with what its call used. */
interface ModelMessage {
  readonly usageId: string
  readonly usage: Usage
  readonly costUsd: number | undefined
  /** Name of the model. */
  readonly author: string
  /** As stored in the transcript. */
  readonly body: string
}

/** Last message of the model in a turn. */
interface TurnEnd extends ModelMessage {
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
    ), used as (${endUsageIf(sql`exists (select from ended)`, usageId, { usage, costUsd })}), taken as (
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
