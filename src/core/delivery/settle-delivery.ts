import { findApproval } from '../../db/approval/approvals.ts'
import { dropCardCopy } from '../../db/approval/card-copies.ts'
import { markDead, markSent, markSentForLive, postpone } from '../../db/outbox/outbox.ts'
import type { ClaimedMessage } from '../../db/outbox/outbox-claims.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { moveConversations } from '../../db/turn/conversations.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import type { Delivery, Outgoing } from '../../ports/chat.ts'
import { assertNever } from '../../util/assert-never.ts'
import { backoffMs } from '../../util/backoff.ts'
import { nameQuestion } from '../card/batches.ts'
import { readOutgoing } from '../card/read-outgoing.ts'
import type { CoreContext } from '../context.ts'
import { alert } from '../outbox/alert.ts'
import { notice } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'
import { transact } from '../transaction.ts'
import { adoptBatchCopy, adoptCopy } from './adopt-copy.ts'
import { isUpdate } from './is-update.ts'

/** What trying to send led to; `broken`: the adapter threw. */
export type Tried = Delivery | { readonly kind: 'broken' }

/** An adapter that throws again and again will not stop. */
const maxBroken = 20
const brokenPauseMs = 5_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Stores what became of a message. Answers after how many milliseconds it may be tried again, if it waits. */
export async function settleDelivery(
  ctx: CoreContext,
  row: ClaimedMessage,
  tried: Tried,
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
      const why = 'the adapter failed'
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
    await markSent(ctx.db, row.id, sent.messageId)
    return undefined
  }
  // An answer's passing message has become this one: nobody may take it away any more.
  const replacesLive = message.kind === 'answer' || message.kind === 'remark'
  const record = replacesLive ? markSentForLive : markSent
  if (await record(ctx.db, row.id, sent.messageId, sent.isCut)) return
  // Whoever took us for dead has sent the card too: both copies are to be edited.
  await transact(ctx, (tx) => adopt(tx, message, sent, row.conversation_id))
}

async function adopt(
  tx: Transaction,
  message: Outgoing,
  { messageId, isCut = false }: Sent,
  conversationId: string,
): Promise<void> {
  const known = await questionOf(tx.db, message)
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

/** The question that a message asks, or the first of several. */
async function questionOf(db: Db, message: Outgoing): Promise<ApprovalRow | undefined> {
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

/** Somebody deleted the message: nothing is amiss, and it need not be edited again. */
async function dropCopy(ctx: CoreContext, row: ClaimedMessage, why: string): Promise<undefined> {
  await transact(ctx, async (tx) => {
    await markDead(tx.db, row.id, why)
    if (row.edit_of !== null) await dropCardCopy(tx.db, row.edit_of)
  })
  ctx.log.info({ ...placeOf(row), why }, 'a message that was to be edited is gone')
}

/** The chat has another name from now on; the message goes there at once. */
async function move(
  ctx: CoreContext,
  row: ClaimedMessage,
  place: string,
): Promise<number | undefined> {
  const why = 'the chat has moved'
  const hasMoved = await transact(ctx, async (tx) => {
    if (!(await moveConversations(tx.db, row.conversation_id, place))) return false
    await postpone(tx.db, row.id, { afterMs: 0, why, counts: true })
    return true
  })
  // Somebody has begun a conversation there already: this one has no place any more.
  if (!hasMoved) return giveUp(ctx, row, why)
  ctx.log.info(placeOf(row), 'a chat has moved')
  return 0
}

/** DECISION-26: a dead letter, an alert for the operator, and the conversation goes on. */
async function giveUp(ctx: CoreContext, row: ClaimedMessage, why: string): Promise<undefined> {
  await transact(ctx, async (tx) => {
    await tellLostCard(tx, row)
    await markDead(tx.db, row.id, why)
    await alert(tx, {
      text: `A message could not be delivered and was given up (outbox ${row.id}): ${why}`,
      about: row.conversation_id,
    })
  })
  ctx.log.error({ ...placeOf(row), why }, 'a message could not be delivered')
}

/** A question that nobody sees waits for nobody: the person is told in words that fit anywhere. */
async function tellLostCard(tx: Transaction, row: ClaimedMessage): Promise<void> {
  const known = await questionOf(tx.db, messageOf(row))
  // APPR-18: what reaches nobody elsewhere is brought back to where it was asked.
  if (known === undefined || known.conversation_id !== row.conversation_id) return
  const { name, isOne, number } = await nameQuestion(tx.db, known)
  const [which, them] = isOne ? [number, 'it'] : ['all', 'them']
  const text = `${name} could not be shown here. /deny ${which} refuses ${them}, /approvals tries to show ${them} again.`
  await notice(tx, row.conversation_id, text, known.caller_id)
}

/** By which the log names a message. */
function placeOf({ id, conversation_id }: ClaimedMessage) {
  return { conversation: conversation_id, outbox: id }
}

function messageOf(row: ClaimedMessage): Outgoing {
  const message = readOutgoing(row.body)
  if (message === undefined) throw new Error('a message cannot be read')
  return message
}
