import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { ApprovalState, Card } from '../domain/approval.ts'
import { newId } from '../util/new-id.ts'
import { toStorable } from '../util/storable.ts'
import { addCardCopy } from './card-copies.ts'
import { literals } from './literals.ts'
import type { ApprovalRow, Db, Schema } from './schema.ts'

const now = sql<Date>`now()`

export type NewApproval = Omit<
  Insertable<Schema['approval']>,
  'expires_at' | 'remind_at' | 'reason_until' | 'state' | 'always_effect'
>

/** Makes a pending approval that ends `ttlMs` from now, by the database's clock (rule 9). */
export function insertApproval(
  db: Db,
  approval: NewApproval,
  ttlMs: number,
  remindAfterMs: number | undefined,
): Promise<ApprovalRow> {
  return db
    .insertInto('approval')
    .values({
      ...approval,
      expires_at: fromNow(ttlMs),
      remind_at: remindAfterMs === undefined ? null : fromNow(remindAfterMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** So many milliseconds from now, by the database's clock. */
export function fromNow(ms: number) {
  return sql<Date>`now() + make_interval(secs => ${ms / 1000})`
}

export function findApproval(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return db.selectFrom('approval').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findPending(db: Db, sessionId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('pending'))
    .orderBy('number')
    .execute()
}

export function findPendingOfTurn(db: Db, turnId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('state', '=', sql.lit('pending'))
    .orderBy('number')
    .execute()
}

/** The latest approval of a call, whatever its state. */
export function findApprovalOfCall(db: Db, callId: string): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export function findApprovalByNumber(
  db: Db,
  sessionId: string,
  number: number,
): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('number', '=', number)
    .executeTakeFirst()
}

/**
 * Ends a pending approval, once: undefined when somebody or something was first. A person's decision also needs it not
 * to have expired, by the same row and clock that expiry uses (INT-5). `explainMs`: how long a denial waits for its reason.
 */
export function endApproval(
  db: Db,
  id: string,
  end: {
    state: Exclude<ApprovalState, 'pending'>
    by?: string
    reason?: string
    alwaysEffect?: 'session' | 'worker'
    explainMs?: number | undefined
    onlyUnexpired?: boolean
  },
): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({
      state: end.state,
      decided_by: end.by ?? null,
      decided_at: now,
      reason: end.reason ?? null,
      always_effect: end.alwaysEffect ?? 'none',
      remind_at: null,
      reason_until: end.explainMs === undefined ? null : fromNow(end.explainMs),
    })
    .where('id', '=', id)
    .where('state', '=', sql.lit('pending'))
    .$if(end.onlyUnexpired === true, (query) => query.where('expires_at', '>', now))
    .returningAll()
    .executeTakeFirst()
}

/** TG-03: what this caller denied and may still explain, if the message is a copy of its card, or a part of one. */
export function findExplaining(
  db: Db,
  conversationId: string,
  callerId: string,
  externalMessageId: string,
): Promise<ApprovalRow | undefined> {
  return db
    .selectFrom('approval')
    .innerJoin('approval_card', 'approval_card.approval_id', 'approval.id')
    .innerJoin('outbox', 'outbox.id', 'approval_card.outbox_id')
    .selectAll('approval')
    .where('approval.reason_until', '>', now)
    .where('approval.decided_by', '=', callerId)
    .where('outbox.conversation_id', '=', conversationId)
    .where(isMessage(externalMessageId))
    .limit(1)
    .executeTakeFirst()
}

/** Whether a row of the outbox is, or has as a part, the message with this id. */
function isMessage(externalMessageId: string) {
  return sql<boolean>`(
    outbox.external_message_id = ${externalMessageId} or outbox.parts::jsonb ? ${externalMessageId})`
}

/** Approvals whose *Always* has not taken all its effect. */
export function findAlways(db: Db, sessionId?: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('always_effect', 'in', literals(['session', 'worker']))
    .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId ?? ''))
    .execute()
}

export async function setAlwaysEffect(
  db: Db,
  id: string,
  effect: 'session' | 'done',
): Promise<void> {
  await db.updateTable('approval').set({ always_effect: effect }).where('id', '=', id).execute()
}

/** Ends the approval of a call that held, if one did: what it approved has changed. */
export function supersedeApproval(db: Db, callId: string): Promise<ApprovalRow | undefined> {
  return db
    .updateTable('approval')
    .set({ state: 'superseded' })
    .where('call_id', '=', callId)
    .where('state', 'in', literals(['approved', 'granted']))
    .returningAll()
    .executeTakeFirst()
}

export async function insertVote(
  db: Db,
  approvalId: string,
  callerId: string,
  decision: string,
): Promise<void> {
  await db
    .insertInto('approval_vote')
    .values({ approval_id: approvalId, caller_id: callerId, decision })
    .onConflict((conflict) => conflict.columns(['approval_id', 'caller_id']).doNothing())
    .execute()
}

/**
 * THREAT-8, INT-16: a message that shows a card and whose sending was not recorded becomes a copy of it, so that what
 * happens to the card reaches it too; one that is over already is told at once. False: it was known. Call under the
 * session's lock.
 */
export async function adoptCopy(
  db: Db,
  approval: Pick<ApprovalRow, 'id' | 'conversation_id' | 'card'>,
  externalMessageId: string,
): Promise<boolean> {
  if (await isKnown(db, approval.conversation_id, externalMessageId)) return false
  const card: Card = JSON.parse(approval.card)
  const shown = { kind: 'card', card: { ...card, status: { kind: 'waiting' } } }
  const copy = await insertMail(db, approval.conversation_id, shown, {
    state: 'sent',
    external_message_id: externalMessageId,
  })
  await addCardCopy(db, approval.id, copy)
  if (card.status.kind !== 'waiting') {
    const update = { kind: 'card_update', card }
    await insertMail(db, approval.conversation_id, update, { edit_of: copy })
  }
  return true
}

/**
 * Whether a message of this chat is in the outbox already: as a copy of the card, or as something else, which the token
 * of a card below it must not turn into one. All topics of a chat number their messages together.
 */
async function isKnown(
  db: Db,
  conversationId: string,
  externalMessageId: string,
): Promise<boolean> {
  const known = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .innerJoin('conversation as own', 'own.platform', 'conversation.platform')
    .select('outbox.id')
    .where('own.id', '=', conversationId)
    .where(
      sql<boolean>`split_part(conversation.external_id, '/', 1) = split_part(own.external_id, '/', 1)`,
    )
    .where(isMessage(externalMessageId))
    .limit(1)
    .executeTakeFirst()
  return known !== undefined
}

async function insertMail(
  db: Db,
  conversationId: string,
  message: unknown,
  how: Partial<Insertable<Schema['outbox']>>,
): Promise<number> {
  const body = toStorable(JSON.stringify(message))
  const row = await db
    .insertInto('outbox')
    .values({
      ...how,
      sent_at: how.state === 'sent' ? now : null,
      conversation_id: conversationId,
      body,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

export interface GrantRow {
  readonly tool: string
  readonly pattern: string
}

/** Rules that *Always* made for this caller in this session. */
export function findGrants(db: Db, sessionId: string, callerId: string): Promise<GrantRow[]> {
  return db
    .selectFrom('grant_rule')
    .select(['tool', 'pattern'])
    .where('session_id', '=', sessionId)
    .where('caller_id', '=', callerId)
    .orderBy('created_at')
    .execute()
}

export async function insertGrants(
  db: Db,
  grant: {
    sessionId: string
    callerId: string
    tool: string
    patterns: readonly string[]
    approvalId: string
    grantedBy: string
  },
): Promise<void> {
  if (grant.patterns.length === 0) return
  await db
    .insertInto('grant_rule')
    .values(
      grant.patterns.map((pattern) => ({
        id: newId(),
        session_id: grant.sessionId,
        caller_id: grant.callerId,
        tool: grant.tool,
        pattern,
        approval_id: grant.approvalId,
        granted_by: grant.grantedBy,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'caller_id', 'tool', 'pattern']).doNothing(),
    )
    .execute()
}
