import { dropSuperseded, findOutgoing, markDead } from '../../db/outbox/outbox.ts'
import { type ClaimedMessage, claimLonger, claimOutgoing } from '../../db/outbox/outbox-claims.ts'
import type { ConversationRow } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import type { ChatPlatform, Outgoing } from '../../ports/chat.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { whenBack } from '../kernel/when-back.ts'
import { clearStage } from './clear-stage.ts'
import { deliveryContext } from './delivery-context.ts'
import { settleDelivery, type Tried } from './settle-delivery.ts'
import { tellDelivered } from './tell-delivered.ts'

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
  kernel: Kernel,
  platform: ChatPlatform,
  conversationId: string,
  { signal, takesOver = true }: DeliveryOptions = {},
): Promise<number | undefined> {
  const conversation = await getConversation(kernel.db, conversationId)
  if (conversation.platform !== platform.name) return undefined
  let againInMs: number | undefined
  while (signal?.aborted !== true) {
    // What was sent stays sent when the next one fails.
    const step = await deliverNext(kernel, platform, conversation, takesOver)
    if (step === 'done') break
    if (step === 'next') continue
    againInMs = Math.min(againInMs ?? step.againInMs, step.againInMs)
    if (!step.goesOn) break
  }
  return againInMs
}

/** No transaction and no connection is held while the platform takes its time. */
async function deliverNext(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
  takesOver: boolean,
): Promise<Step> {
  const row = await claimOutgoing(kernel.db, conversation.id, { claimMs, takesOver })
  if (row === undefined) return 'done'
  if (await dropSuperseded(kernel.db, row)) return row.isFollowed ? 'next' : 'done'
  const target = row.edit_of === null ? undefined : await findOutgoing(kernel.db, row.edit_of)
  if (row.edit_of !== null && target?.external_message_id == null) {
    await markDead(kernel.db, row.id, 'the message to edit was never sent')
    return row.isFollowed ? 'next' : 'done'
  }
  const editOf = target?.external_message_id ?? undefined
  const startedAt = performance.now()
  const message: Outgoing = JSON.parse(row.body)
  const tried = await deliver(kernel, platform, conversation, { row, message, editOf })
  const ms = performance.now() - startedAt
  const againInMs = await whenBack(() => settleDelivery(kernel, row, tried))
  const isPutOff = againInMs !== undefined
  const sending = { platform: platform.name, row, message, tried, isPutOff }
  await tellDelivered(kernel, { ...sending, waitedMs: waitedOf(row), ms })
  if (againInMs !== undefined)
    return { againInMs, goesOn: row.edit_of !== null && row.isFollowed && againInMs > 0 }
  return row.isFollowed ? 'next' : 'done'
}

/** By the database's clock alone: this machine's may be off. */
function waitedOf({ created_at, claimed_until }: ClaimedMessage): number {
  return (claimed_until?.getTime() ?? 0) - claimMs - created_at.getTime()
}

interface ToSend {
  readonly row: ClaimedMessage
  readonly message: Outgoing
  readonly editOf: string | undefined
}

/** An adapter that throws has a bug, or met what nobody foresaw: that must not hold up the line for ever. */
async function deliver(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
  { row, message, editOf }: ToSend,
): Promise<Tried> {
  const keep = () => attempt(kernel, 'keep a claim', () => claimLonger(kernel.db, row.id, claimMs))
  const timer = setInterval(keep, claimMs / 3)
  try {
    const liveMessageId = await clearStage(kernel, platform, conversation, message)
    const context = deliveryContext(kernel.db, row, { editOf, liveMessageId })
    return await platform.deliver(conversation.external_id, message, context)
  } catch (error) {
    const { conversation_id, id } = row
    const where = { conversation: conversation_id, outbox: id }
    kernel.log.error({ err: error, ...where }, 'an adapter failed to send a message')
    return { kind: 'broken' }
  } finally {
    clearInterval(timer)
  }
}
