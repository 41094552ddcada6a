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
import { readOutgoing } from '../card/read-outgoing.ts'
import type { CoreContext } from '../context.ts'
import { whenBack } from '../when-back.ts'
import { deliveryContext } from './delivery-context.ts'
import { isUpdate } from './is-update.ts'
import { settleDelivery, type Tried } from './settle-delivery.ts'

const longestLookMs = 250

/** Whoever has a message in hand says so again every third of it, in milliseconds; else they are taken for dead. */
export const claimMs = 15_000

export interface DeliveryOptions {
  /** Ends the delivery before the next message. */
  readonly signal?: AbortSignal
  /** Whether a message may be sent whose sender has not been heard of for `claimMs`. */
  readonly takesOver?: boolean
}

/** What became of a message: the next may go, nothing is left, or it waits for so long, and what is behind it may go (`goesOn`) or not. */
type Step = 'next' | 'done' | { readonly againInMs: number; readonly goesOn: boolean }

/**
 * Sends what waits in a conversation, in order, until nothing may go now. One gateway at a time does it (INT-18).
 * Answers when to look again, in milliseconds, if the line was put off; a hint, the row says it too.
 */
export async function deliverConversation(
  ctx: CoreContext,
  platform: ChatPlatform,
  conversationId: string,
  { signal, takesOver = true }: DeliveryOptions = {},
): Promise<number | undefined> {
  let againInMs: number | undefined
  while (signal?.aborted !== true) {
    // What was sent stays sent when the next one fails.
    const step = await deliverNext(ctx, platform, conversationId, takesOver)
    if (step === 'done') break
    if (step === 'next') continue
    againInMs = Math.min(againInMs ?? step.againInMs, step.againInMs)
    if (!step.goesOn) break
  }
  return againInMs
}

/** No transaction and no connection is held while the platform takes its time. */
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
  const againInMs = await whenBack(() => settleDelivery(ctx, row, tried))
  const isPutOff = againInMs !== undefined
  const sending = { platform: platform.name, row, message, tried, isPutOff }
  await tellDelivered(ctx, { ...sending, waitedMs: waitedOf(row), ms })
  if (againInMs !== undefined)
    return { againInMs, goesOn: row.edit_of !== null && row.isFollowed && againInMs > 0 }
  return row.isFollowed ? 'next' : 'done'
}

/** By the database's clock alone: this machine's may be off. */
function waitedOf({ created_at, claimed_until }: ClaimedMessage): number {
  return (claimed_until?.getTime() ?? 0) - claimMs - created_at.getTime()
}

interface ToSend {
  readonly row: MessageToSend
  readonly message: Outgoing
  readonly editOf: string | undefined
}

/** An adapter that throws has a bug, or met what nobody foresaw: that must not hold up the line for ever. */
async function deliver(
  ctx: CoreContext,
  platform: ChatPlatform,
  { row, message, editOf }: ToSend,
): Promise<Tried> {
  const { db, log } = ctx
  const renew = async () => {
    await extendClaim(db, row.id, claimMs)
    return true
  }
  try {
    return await holdClaim({ what: `message ${row.id}`, claimMs, renew, log }, async () => {
      const liveMessageId = await clearStage(ctx, platform, row, message)
      const context = deliveryContext(db, row, { editOf, liveMessageId })
      return await platform.deliver(row.address.external_id, message, context)
    })
  } catch (error) {
    const { conversation_id, id } = row
    const where = { conversation: conversation_id, outbox: id }
    log.error({ err: error, ...where }, 'an adapter failed to send a message')
    return { kind: 'broken' }
  }
}

/**
 * Makes room for a lasting message, which its sender has claimed: waits until nobody changes the passing one any more
 * (whoever wants to sees the claim), then takes it away. Answers its id where the message takes its place instead.
 */
async function clearStage(
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
  // It may have become a lasting one whose record was lost half-way.
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

/** One try to send a message, once it is stored what became of it. */
interface Sending {
  readonly platform: string
  readonly row: ClaimedMessage
  readonly message: Outgoing
  readonly tried: Tried
  /** It waits for another try. */
  readonly isPutOff: boolean
  /** How long it waited for this try, and how long the try took. */
  readonly waitedMs: number
  readonly ms: number
}

/** Tells what became of a message, under the turn that it belongs to. */
async function tellDelivered(ctx: CoreContext, sending: Sending): Promise<void> {
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

/** A notice is of no turn, and of a card its first showing is what somebody waits for. */
async function turnOf({ db }: CoreContext, message: Outgoing): Promise<string | undefined> {
  if (message.kind === 'answer' || message.kind === 'remark') return message.turnId
  const [card] = cardsOf(message)
  return card === undefined ? undefined : (await findApproval(db, card.approvalId))?.turn_id
}

function cardsOf(message: Outgoing): readonly Card[] {
  if (message.kind === 'card') return [message.card]
  return message.kind === 'batch' ? message.batch.cards : []
}

function outcomeOf({ tried, isPutOff }: Sending): EventOf<'delivered'>['outcome'] {
  if (tried.kind === 'sent') return 'sent'
  if (isPutOff) return 'put_off'
  return tried.kind === 'refused' && tried.isGone === true ? 'gone' : 'given_up'
}
