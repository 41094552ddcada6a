import { getConversation } from '../../db/conversations.ts'
import {
  type ClaimedMessage,
  claimLonger,
  claimOutgoing,
  findOutgoing,
  findWaitingOutboxes,
  markDead,
  markSent,
  postpone,
} from '../../db/mail.ts'
import type { ConversationRow, Db } from '../../db/schema.ts'
import type { ChatPlatform, Delivery, Outgoing } from '../../ports/chat.ts'
import { attempt } from '../kernel/attempt.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { notice } from './post.ts'

const maxAttempts = 20
/** Whoever has a message in hand says so again every third of it, in milliseconds; else they are taken for dead. */
const claimMs = 15_000
const brokenPauseMs = 5_000

/** Sends what waits in a conversation, in order, until nothing may go now. One gateway at a time does it (INT-18). */
export async function deliverConversation(
  kernel: Kernel,
  platform: ChatPlatform,
  conversationId: string,
): Promise<void> {
  const conversation = await getConversation(kernel.db, conversationId)
  if (conversation.platform !== platform.name) return
  while (await deliverNext(kernel, platform, conversation)) {
    // What was sent stays sent when the next one fails.
  }
}

/** Sends whatever waits on a platform: for signals that were lost. */
export async function deliverAll(kernel: Kernel, platform: ChatPlatform): Promise<void> {
  for (const id of await findWaitingOutboxes(kernel.db, platform.name)) {
    await attempt(kernel, 'deliver messages', () => deliverConversation(kernel, platform, id))
  }
}

/**
 * Whether another message stood behind the one that was dealt with; whoever posts a later one says so. No transaction and
 * no connection is held while the platform takes its time.
 */
async function deliverNext(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
): Promise<boolean> {
  const row = await claimOutgoing(kernel.db, conversation.id, claimMs)
  if (row === undefined) return false
  const target = row.edit_of === null ? undefined : await findOutgoing(kernel.db, row.edit_of)
  if (row.edit_of !== null && target?.external_message_id == null) {
    await markDead(kernel.db, row.id, 'the message to edit was never sent')
    return row.isFollowed
  }
  const editOf = target?.external_message_id ?? undefined
  const delivery = await deliver(kernel, platform, conversation, row, editOf)
  return (await settleDelivery(kernel, row, delivery)) && row.isFollowed
}

/** An adapter that throws has a bug, or met what nobody foresaw: that must not hold up the line for ever. */
async function deliver(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
  row: ClaimedMessage,
  editOf: string | undefined,
): Promise<Delivery> {
  const message: Outgoing = JSON.parse(row.body)
  const keep = () => attempt(kernel, 'keep a claim', () => claimLonger(kernel.db, row.id, claimMs))
  const timer = setInterval(keep, claimMs / 3)
  try {
    return await platform.deliver(conversation.external_id, message, editOf)
  } catch (error) {
    kernel.log.error({ err: error }, 'an adapter failed to send a message')
    return { kind: 'retry', afterMs: brokenPauseMs, why: 'the adapter failed' }
  } finally {
    clearInterval(timer)
  }
}

async function settleDelivery(
  kernel: Kernel,
  row: ClaimedMessage,
  delivery: Delivery,
): Promise<boolean> {
  if (delivery.kind === 'sent') {
    await markSent(kernel.db, row.id, delivery.messageId)
    return true
  }
  if (delivery.kind === 'retry' && row.attempts + 1 < maxAttempts) {
    await postpone(kernel.db, row.id, delivery.afterMs, delivery.why)
    return false
  }
  await transact(kernel, async (db, after) => {
    await markDead(db, row.id, delivery.why)
    await tellLostCard(db, after, row)
  })
  kernel.log.error({ outbox: row.id, why: delivery.why }, 'a message could not be delivered')
  return true
}

/** A question that nobody sees waits for nobody: the person is told in words that fit anywhere. */
async function tellLostCard(db: Db, after: Effects, row: ClaimedMessage): Promise<void> {
  const message: Outgoing = JSON.parse(row.body)
  if (message.kind !== 'card') return
  const { number, tool } = message.card
  const text = `Question ${number} (${tool}) could not be shown here. /deny ${number} refuses it, /approvals tries to show it again.`
  await notice(db, after, row.conversation_id, text)
}
