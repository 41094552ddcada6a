import { getConversation } from '../../db/conversations.ts'
import { tryLock } from '../../db/locks.ts'
import {
  findOutgoing,
  findWaitingOutboxes,
  findWaitingOutgoing,
  markDead,
  markSent,
  postpone,
} from '../../db/mail.ts'
import type { ConversationRow, Db, OutboxRow } from '../../db/schema.ts'
import type { ChatPlatform, Delivery, Outgoing } from '../../ports/chat.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { notice } from './post.ts'

const maxAttempts = 20
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
    // One transaction a message: what was sent stays sent when the next one fails.
  }
}

/** Sends whatever waits on a platform: for signals that were lost. */
export async function deliverAll(kernel: Kernel, platform: ChatPlatform): Promise<void> {
  for (const id of await findWaitingOutboxes(kernel.db, platform.name)) {
    await deliverConversation(kernel, platform, id)
  }
}

/** Whether another message stood behind the one that was dealt with; whoever posts a later one says so. */
function deliverNext(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
): Promise<boolean> {
  return transact(kernel, async (db, after) => {
    if (!(await tryLock(db, `outbox:${conversation.id}`))) return false
    const [row, following] = await findWaitingOutgoing(db, conversation.id, 2)
    if (row?.ready !== true) return false
    const isDealtWith = await send(kernel, db, after, platform, conversation, row)
    return isDealtWith && following !== undefined
  })
}

async function send(
  kernel: Kernel,
  db: Db,
  after: Effects,
  platform: ChatPlatform,
  conversation: ConversationRow,
  row: OutboxRow,
): Promise<boolean> {
  const target = row.edit_of === null ? undefined : await findOutgoing(db, row.edit_of)
  if (row.edit_of !== null && target?.external_message_id == null) {
    await markDead(db, row.id, 'the message to edit was never sent')
    return true
  }
  const message: Outgoing = JSON.parse(row.body)
  const editOf = target?.external_message_id ?? undefined
  const delivery = await deliver(kernel, () =>
    platform.deliver(conversation.external_id, message, editOf),
  )
  return settleDelivery(kernel, db, after, row, delivery)
}

/** An adapter that throws has a bug, or met what nobody foresaw: that must not hold up the line for ever. */
async function deliver(kernel: Kernel, work: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await work()
  } catch (error) {
    kernel.log.error({ err: error }, 'an adapter failed to send a message')
    return { kind: 'retry', afterMs: brokenPauseMs, why: 'the adapter failed' }
  }
}

async function settleDelivery(
  kernel: Kernel,
  db: Db,
  after: Effects,
  row: OutboxRow,
  delivery: Delivery,
): Promise<boolean> {
  if (delivery.kind === 'sent') {
    await markSent(db, row.id, delivery.messageId)
    return true
  }
  if (delivery.kind === 'refused' || row.attempts + 1 >= maxAttempts) {
    await markDead(db, row.id, delivery.why)
    await tellLostCard(db, after, row)
    kernel.log.error({ outbox: row.id, why: delivery.why }, 'a message could not be delivered')
    return true
  }
  await postpone(db, row.id, delivery.afterMs, delivery.why)
  return false
}

/** A question that nobody sees waits for nobody: the person is told in words that fit anywhere. */
async function tellLostCard(db: Db, after: Effects, row: OutboxRow): Promise<void> {
  const message: Outgoing = JSON.parse(row.body)
  if (message.kind !== 'card') return
  const { number, tool } = message.card
  const text = `Question ${number} (${tool}) could not be shown here. /deny ${number} refuses it, /approvals tries to show it again.`
  await notice(db, after, row.conversation_id, text)
}
