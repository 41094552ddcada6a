import { type Selectable, sql } from 'kysely'
import type { ApprovalAction, BatchAction, FeedbackVerdict } from '../../domain/approval.ts'
import type { GrantRef } from '../../domain/grant-life.ts'
import { isMessage } from '../outbox/outbox.ts'
import type { Db, Schema } from '../schema.ts'

/** Stores button tokens of a card before they are shown. Only SHA-256 digests are stored. */
export async function insertTokens(
  db: Db,
  card: { readonly approvalId: string; readonly conversationId: string },
  tokens: readonly { readonly sha256: string; readonly action: ApprovalAction }[],
): Promise<void> {
  if (tokens.length === 0) return
  await db
    .insertInto('callback_token')
    .values(
      tokens.map(({ sha256, action }) => ({
        token_sha256: sha256,
        approval_id: card.approvalId,
        action,
        conversation_id: card.conversationId,
      })),
    )
    .execute()
}

/** Stores button tokens of a batch card. */
export async function insertBatchTokens(
  db: Db,
  card: { readonly batchId: string; readonly conversationId: string },
  tokens: readonly { readonly sha256: string; readonly action: BatchAction }[],
): Promise<void> {
  if (tokens.length === 0) return
  await db
    .insertInto('callback_token')
    .values(
      tokens.map(({ sha256, action }) => ({
        token_sha256: sha256,
        batch_id: card.batchId,
        action,
        conversation_id: card.conversationId,
      })),
    )
    .execute()
}

/** Stores tokens of revoke buttons. */
export async function insertRevokeTokens(
  db: Db,
  conversationId: string,
  tokens: readonly { readonly sha256: string; readonly grant: GrantRef }[],
): Promise<void> {
  if (tokens.length === 0) return
  await db
    .insertInto('callback_token')
    .values(
      tokens.map(({ sha256, grant: { kind, id } }) => ({
        token_sha256: sha256,
        ...(kind === 'session' ? { grant_id: id } : { file_grant_id: id }),
        action: 'revoke' as const,
        conversation_id: conversationId,
      })),
    )
    .execute()
}

/** Stores the token of a stop button. */
export async function insertStopToken(
  db: Db,
  button: { readonly turnId: string; readonly conversationId: string; readonly sha256: string },
): Promise<void> {
  await db
    .insertInto('callback_token')
    .values({
      token_sha256: button.sha256,
      turn_id: button.turnId,
      action: 'stop',
      conversation_id: button.conversationId,
    })
    .execute()
}

/** Stores tokens of rating buttons. */
export async function insertFeedbackTokens(
  db: Db,
  answer: { readonly turnId: string; readonly conversationId: string },
  tokens: readonly { readonly sha256: string; readonly action: FeedbackVerdict }[],
): Promise<void> {
  await db
    .insertInto('callback_token')
    .values(
      tokens.map(({ sha256, action }) => ({
        token_sha256: sha256,
        turn_id: answer.turnId,
        action,
        conversation_id: answer.conversationId,
      })),
    )
    .execute()
}

/** Returns the action of a token and the conversation in which it was shown. */
export function findToken(
  db: Db,
  sha256: string,
): Promise<Selectable<Schema['callback_token']> | undefined> {
  return db
    .selectFrom('callback_token')
    .selectAll()
    .where('token_sha256', '=', sha256)
    .executeTakeFirst()
}

/**
 * Whether the buttons of a message changed less than `withinMs` ago by an edit, up to the one that shows this token. Edits on
 * their way count as shown now; the choices of *Always*, a card that is cut, and a batch of which others wait, have other buttons. By the database's
 * clock.
 */
export async function areButtonsNew(
  db: Db,
  { token_sha256, conversation_id }: Selectable<Schema['callback_token']>,
  messageId: string,
  withinMs: number,
): Promise<boolean> {
  const since = sql<Date>`now() - make_interval(secs => ${withinMs / 1000})`
  const { rows } = await sql<{ readonly is_new: boolean }>`
    with token as (select created_at from callback_token where token_sha256 = ${token_sha256}),
    copy as (
      select id, sent_at from outbox
      where conversation_id = ${conversation_id} and edit_of is null and state = 'sent' and ${isMessage(messageId)}
      order by id limit 1),
    shown as (
      select outbox.id, case state when 'sent' then outbox.sent_at else now() end as sent_at,
        concat(is_cut, position('"open":"choice"' in body) > 0,
          case when position('"batch":' in body) > 0
            then length(body) - length(replace(body, '"kind":"waiting"', '')) end) as view
      from outbox join copy on outbox.id = copy.id or outbox.edit_of = copy.id
      where state = 'sent' or (state = 'pending' and claimed_until > now())),
    changes as (
      select sent_at, view <> lag(view, 1, view) over (order by sent_at, id) as is_change from shown),
    own as (
      select min(shown.sent_at) as sent_at from shown, copy, token
      where shown.id <> copy.id and shown.sent_at >= token.created_at)
    select token.created_at > copy.sent_at and case
      when own.sent_at is null then token.created_at > ${since}
      else exists (
        select from changes where is_change and sent_at <= own.sent_at and sent_at > ${since})
      end as is_new
    from token, copy, own`.execute(db)
  return rows[0]?.is_new === true
}

/**
 * Deletes button tokens older than `days` whose approval, grant or turn has ended; approvals and turns must have ended
 * `days` ago. Buttons of rules in a worker's file are deleted by age, since listing the rules creates new ones. Returns
 * the number deleted.
 */
export async function deleteOldTokens(db: Db, days: number): Promise<number> {
  const cutoff = sql<Date>`now() - make_interval(days => ${days})`
  const isAsked = sql<boolean>`(
    approval.state = 'pending' or coalesce(approval.decided_at, approval.created_at) > ${cutoff})`
  const { numDeletedRows } = await db
    .deleteFrom('callback_token as token')
    .where('token.created_at', '<=', cutoff)
    .where(
      sql<boolean>`case
        when approval_id is not null then not exists (
          select from approval where approval.id = token.approval_id and ${isAsked})
        when batch_id is not null then not exists (
          select from approval where approval.batch_id = token.batch_id and ${isAsked})
        when turn_id is not null then not exists (
          select from turn where turn.id = token.turn_id
            and (turn.ended_at is null or turn.ended_at > ${cutoff}))
        when grant_id is not null then not exists (
          select from grant_rule join session on session.id = grant_rule.session_id
          where grant_rule.id = token.grant_id and session.closed_at is null
            and grant_rule.revoked_at is null and coalesce(uses_left, 1) > 0
            and coalesce(expires_at > now(), true)
            and not exists (
              select from turn where turn.id = grant_rule.turn_id and turn.ended_at is not null))
        else true
      end`,
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
