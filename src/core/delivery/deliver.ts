import { setTimeout as delay } from 'node:timers/promises'
import { findApproval } from '../../db/approval/approvals.ts'
import {
  findLiveMessage,
  forgetLiveMessage,
  type LiveMessage,
} from '../../db/outbox/live-messages.ts'
import { dropSuperseded, findOutgoing, isKnownMessage, markDead } from '../../db/outbox/outbox.ts'
import {
  type ClaimedMessage,
  claimOutgoing,
  extendClaim,
  type MessageToSend,
} from '../../db/outbox/outbox-claims.ts'
import type { Card } from '../../domain/approval.ts'
import type { ChatPlatform, Outgoing } from '../../ports/chat.ts'
import type { EventOf } from '../../ports/observer.ts'
import { holdClaim } from '../../util/hold-claim.ts'
import { readOutgoing } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { retryThroughOutage } from '../transaction.ts'
import { deliveryContext } from './delivery-context.ts'
import { type DeliveryResult, isUpdate, settleDelivery } from './settle-delivery.ts'

const longestLookMs = 250

/** Lease of a claimed message in milliseconds, renewed every third of it; afterwards its sender counts as dead. */
export const claimMs = 15_000

export interface DeliveryOptions {
  /** Stops the delivery before the next message. */
  readonly signal?: AbortSignal
  /** Whether messages of a sender silent for `claimMs` may be sent. */
  readonly takesOver?: boolean
}

/** Result of one delivery: send the next, nothing left, or retry after a pause; `goesOn`: messages behind it may go meanwhile. */
type Step = 'next' | 'done' | { readonly againInMs: number; readonly goesOn: boolean }

/**
 * Sends a conversation's outgoing messages in order until none may go now, in one gateway at a time (INT-18). Returns
 * milliseconds until the next try if delivery was postponed; a hint, as the row stores it too.
 */
export async function deliverConversation(
  ctx: CoreContext,
  platform: ChatPlatform,
  conversationId: string,
  { signal, takesOver = true }: DeliveryOptions = {},
): Promise<number | undefined> {
  let againInMs: number | undefined
  while (signal?.aborted !== true) {
    // Each message is settled by itself, so a later failure does not undo it.
    const step = await deliverNext(ctx, platform, conversationId, takesOver)
    if (step === 'done') break
    if (step === 'next') continue
    againInMs = Math.min(againInMs ?? step.againInMs, step.againInMs)
    if (!step.goesOn) break
  }
  return againInMs
}

/** Holds no transaction or connection during the platform call. */
async function deliverNext(
  ctx: CoreContext,
  platform: ChatPlatform,
  conversationId: string,
  takesOver: boolean,
): Promise<Step> {
  const of = { conversationId, platform: platform.name }
  const row = await claimOutgoing(ctx.db, of, { claimMs, takesOver })
  if (row === undefined) return 'done'
  if (await dropSuperseded(ctx.db, row)) return row.isFollowed ? 'next' : 'done'
  const target = row.edit_of === null ? undefined : await findOutgoing(ctx.db, row.edit_of)
  if (row.edit_of !== null && target?.external_message_id == null) {
    await markDead(ctx.db, row.id, 'the message to edit was never sent')
    return row.isFollowed ? 'next' : 'done'
  }
  const editOf = target?.external_message_id ?? undefined
  const startedAt = performance.now()
  const message = readOutgoing(row.body)
  if (message === undefined) {
    await markDead(ctx.db, row.id, 'it cannot be read')
    return row.isFollowed ? 'next' : 'done'
  }
  const tried = await deliver(ctx, platform, { row, message, editOf })
  const ms = performance.now() - startedAt
  const againInMs = await retryThroughOutage(() => settleDelivery(ctx, row, tried))
  const isPostponed = againInMs !== undefined
  const sending = { platform: platform.name, row, message, tried, isPostponed }
  await recordDelivery(ctx, { ...sending, waitedMs: waitedOf(row), ms })
  if (againInMs !== undefined)
    return { againInMs, goesOn: row.edit_of !== null && row.isFollowed && againInMs > 0 }
  return row.isFollowed ? 'next' : 'done'
}

/** Uses the database's clock only, as the local one may be off. */
function waitedOf({ created_at, claimed_until }: ClaimedMessage): number {
  return (claimed_until?.getTime() ?? 0) - claimMs - created_at.getTime()
}

interface ToSend {
  readonly row: MessageToSend
  readonly message: Outgoing
  readonly editOf: string | undefined
}

/** A throwing adapter is a bug, which must not block the conversation forever. */
async function deliver(
  ctx: CoreContext,
  platform: ChatPlatform,
  { row, message, editOf }: ToSend,
): Promise<DeliveryResult> {
  const { db, log } = ctx
  const renew = async () => {
    await extendClaim(db, row.id, claimMs)
    return true
  }
  try {
    return await holdClaim({ what: `message ${row.id}`, claimMs, renew, log }, async () => {
      const liveMessageId = await clearLiveMessage(ctx, platform, row, message)
      const context = deliveryContext(db, row, { editOf, liveMessageId })
      return await platform.deliver(row.address.external_id, message, context)
    })
  } catch (error) {
    const { conversation_id, id } = row
    const where = { conversation: conversation_id, outbox: id }
    log.error({ err: error, ...where }, 'adapter threw while sending a message')
    return { kind: 'broken' }
  }
}

/**
 * Makes room for a lasting message that its sender has claimed: waits until nobody changes the live message (others see the
 * claim), then removes it. Returns its id if the message replaces it instead.
 */
async function clearLiveMessage(
  ctx: CoreContext,
  platform: ChatPlatform,
  { address, live: known }: MessageToSend,
  message: Outgoing,
): Promise<string | undefined> {
  if (platform.retract === undefined) return undefined
  const live = await untilFree(ctx, address.id, known)
  if (live.messageId === undefined || isUpdate(message)) return undefined
  if (isOfTurn(message, live.turnId)) return live.messageId
  await forgetLiveMessage(ctx.db, address.id)
  // It may have become a lasting message whose record was lost.
  if (await isKnownMessage(ctx.db, address, live.messageId)) return undefined
  await platform.retract(address.external_id, live.messageId)
  return undefined
}

function isOfTurn(message: Outgoing, turnId: string | undefined): boolean {
  return (message.kind === 'answer' || message.kind === 'remark') && message.turnId === turnId
}

async function untilFree(ctx: CoreContext, conversationId: string, known: LiveMessage) {
  let live = known
  while (live.busyMs > 0) {
    await delay(Math.min(live.busyMs, longestLookMs))
    live = await findLiveMessage(ctx.db, conversationId)
  }
  return live
}

/** One attempt to send a message, after its result is stored. */
interface Sending {
  readonly platform: string
  readonly row: ClaimedMessage
  readonly message: Outgoing
  readonly tried: DeliveryResult
  /** Whether it waits for another attempt. */
  readonly isPostponed: boolean
  /** Milliseconds it waited for this attempt, and milliseconds the attempt took. */
  readonly waitedMs: number
  readonly ms: number
}

/** Emits the result of a delivery, with the turn the message belongs to. */
async function recordDelivery(ctx: CoreContext, sending: Sending): Promise<void> {
  const { platform, row, message, waitedMs, ms } = sending
  const turnId = await turnOf(ctx, message)
  ctx.observer.record({
    kind: 'delivered',
    platform,
    what: message.kind,
    outcome: outcomeOf(sending),
    conversationId: row.conversation_id,
    outboxId: row.id,
    ...(turnId === undefined ? {} : { turnId }),
    waitedMs,
    ms,
  })
}

/** Notices belong to no turn; for cards only the first showing counts, as people wait for it. */
async function turnOf({ db }: CoreContext, message: Outgoing): Promise<string | undefined> {
  if (message.kind === 'answer' || message.kind === 'remark') return message.turnId
  const [card] = cardsOf(message)
  return card === undefined ? undefined : (await findApproval(db, card.approvalId))?.turn_id
}

function cardsOf(message: Outgoing): readonly Card[] {
  if (message.kind === 'card') return [message.card]
  return message.kind === 'batch' ? message.batch.cards : []
}

function outcomeOf({ tried, isPostponed }: Sending): EventOf<'delivered'>['outcome'] {
  if (tried.kind === 'sent') return 'sent'
  if (isPostponed) return 'put_off'
  return tried.kind === 'refused' && tried.isGone === true ? 'gone' : 'given_up'
}
