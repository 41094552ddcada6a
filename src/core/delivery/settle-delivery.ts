import { findApproval } from '../../db/approval/approvals.ts'
import { dropCardCopy, markWhole } from '../../db/approval/card-copies.ts'
import { markDead, markSent, markSentForLive, postpone } from '../../db/outbox/outbox.ts'
import type { ClaimedMessage } from '../../db/outbox/outbox-claims.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { moveConversations } from '../../db/turn/conversations.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { pendingCards } from '../../domain/approval.ts'
import type { Delivery, Outgoing } from '../../ports/chat.ts'
import { assertNever } from '../../util/guards.ts'
import { backoffMs } from '../../util/run-periodically.ts'
import { nameApproval } from '../card/cards.ts'
import { readOutgoing } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { alert, notice, type Transaction, transact } from '../transaction.ts'
import { adoptBatchCopy, adoptCopy } from './adopt-copy.ts'

/** Result of an attempt to send; `broken`: the adapter threw. */
export type DeliveryResult = Delivery | { readonly kind: 'broken' }

/** Maximum attempts with an adapter that throws. */
const maxBroken = 20

const brokenPauseMs = 5_000

const firstPauseMs = 1_000

const longestPauseMs = 60_000

/** Stores the result of a delivery. Returns milliseconds until the next attempt, if it waits. */
export async function settleDelivery(
  ctx: CoreContext,
  row: ClaimedMessage,
  tried: DeliveryResult,
): Promise<number | undefined> {
  switch (tried.kind) {
    case 'sent':
      return markDone(ctx, row, tried)
    case 'busy':
      return putOff(ctx.db, row, { ...tried, counts: false })
    case 'unreachable': {
      if (row.isOld) return giveUp(ctx, row, tried.why)
      const afterMs = backoffMs(row.attempts, firstPauseMs, longestPauseMs)
      return putOff(ctx.db, row, { afterMs, why: tried.why, counts: true })
    }
    case 'broken': {
      const why = 'the adapter threw'
      if (row.attempts + 1 >= maxBroken) return giveUp(ctx, row, why)
      return putOff(ctx.db, row, { afterMs: brokenPauseMs, why, counts: true })
    }
    case 'refused':
      return tried.isGone === true ? dropCopy(ctx, row, tried.why) : giveUp(ctx, row, tried.why)
    case 'moved':
      return move(ctx, row, tried.place)
    default:
      return assertNever(tried)
  }
}

type Sent = Extract<Delivery, { kind: 'sent' }>

async function markDone(ctx: CoreContext, row: ClaimedMessage, sent: Sent): Promise<undefined> {
  const message = messageOf(row)
  if (message.kind === 'notice' || isUpdate(message)) {
    await markSent(ctx.db, row.id, sent.messageId, sent.isCut)
    // APPR-16: an edit that shows the card whole makes it approvable by a copy that may have been cut.
    if (row.edit_of !== null && sent.isCut !== true && asks(message))
      await markWhole(ctx.db, row.edit_of)
    return undefined
  }
  // The live message became this answer and must not be retracted any more.
  const replacesLive = message.kind === 'answer' || message.kind === 'remark'
  const record = replacesLive ? markSentForLive : markSent
  if (await record(ctx.db, row.id, sent.messageId, sent.isCut)) return
  // Another gateway took over and sent the card too: both copies must be edited.
  await transact(ctx, (tx) => adopt(tx, message, sent, row.conversation_id))
}

async function adopt(
  tx: Transaction,
  message: Outgoing,
  { messageId, isCut = false }: Sent,
  conversationId: string,
): Promise<void> {
  const known = await approvalOf(tx.db, message)
  if (known === undefined) return
  await lockSession(tx.db, known.session_id)
  const how = { conversationId, isCut }
  if (message.kind === 'batch') {
    await adoptBatchCopy(tx, message.batch.batchId, messageId, how)
    return
  }
  const approval = await findApproval(tx.db, known.id)
  if (approval !== undefined) await adoptCopy(tx, approval, messageId, how)
}

/** Returns the approval a message asks for, or the first of several. */
async function approvalOf(db: Db, message: Outgoing): Promise<ApprovalRow | undefined> {
  if (message.kind === 'card') return findApproval(db, message.card.approvalId)
  const [first] = message.kind === 'batch' ? message.batch.cards : []
  return first === undefined ? undefined : findApproval(db, first.approvalId)
}

async function putOff(
  db: Db,
  row: ClaimedMessage,
  later: Parameters<typeof postpone>[2],
): Promise<number> {
  await postpone(db, row.id, later)
  return later.afterMs
}

/** The message was deleted by a person: no error, and no further edits. */
async function dropCopy(ctx: CoreContext, row: ClaimedMessage, why: string): Promise<undefined> {
  await transact(ctx, async (tx) => {
    await markDead(tx.db, row.id, why)
    if (row.edit_of !== null) await dropCardCopy(tx.db, row.edit_of)
  })
  ctx.log.info({ ...messageLogFields(row), why }, 'message to edit was deleted on the platform')
}

/** The chat has a new address; sends the message there at once. */
async function move(
  ctx: CoreContext,
  row: ClaimedMessage,
  place: string,
): Promise<number | undefined> {
  const why = 'chat moved to a new address'
  const hasMoved = await transact(ctx, async (tx) => {
    if (!(await moveConversations(tx.db, row.conversation_id, place))) return false
    await postpone(tx.db, row.id, { afterMs: 0, why, counts: true })
    return true
  })
  // A conversation already exists at the new address, so this message cannot be moved.
  if (!hasMoved) return giveUp(ctx, row, why)
  ctx.log.info(messageLogFields(row), 'chat moved to a new address')
  return 0
}

/** DECISION-26: marks a dead letter and alerts the operator; the conversation continues. */
async function giveUp(ctx: CoreContext, row: ClaimedMessage, why: string): Promise<undefined> {
  await transact(ctx, async (tx) => {
    await notifyLostCard(tx, row)
    await markDead(tx.db, row.id, why)
    await alert(tx, {
      text: ctx.messages.turns.notDelivered({ number: row.id, why }),
      about: row.conversation_id,
    })
  })
  ctx.log.error(
    { ...messageLogFields(row), why },
    'failed to deliver message, moved to dead letters',
  )
}

/** Tells the person about a card that could not be shown, in plain text. */
async function notifyLostCard(tx: Transaction, row: ClaimedMessage): Promise<void> {
  const known = await approvalOf(tx.db, messageOf(row))
  // APPR-18: a card that failed elsewhere is brought back to the conversation of the request.
  if (known === undefined || known.conversation_id !== row.conversation_id) return
  const { name, isOne, number } = await nameApproval(tx, known)
  const which = isOne ? String(number) : 'all'
  const text = tx.ctx.messages.approvals.notShown({ name, isOne, which })
  await notice(tx, row.conversation_id, text, known.caller_id)
}

/** Log fields of a message. */
function messageLogFields({ id, conversation_id }: ClaimedMessage) {
  return { conversation: conversation_id, outbox: id }
}

function messageOf(row: ClaimedMessage): Outgoing {
  const message = readOutgoing(row.body)
  if (message === undefined) throw new Error('invalid message body in the outbox')
  return message
}

/** Whether the card in it still waits for an answer. */
function asks(message: Outgoing): boolean {
  if (message.kind === 'card_update') return message.card.status.kind === 'waiting'
  return message.kind === 'batch_update' && pendingCards(message.batch).length > 0
}

/** Whether it only changes an existing message. */
export function isUpdate({ kind }: Outgoing): boolean {
  return kind === 'card_update' || kind === 'batch_update'
}
