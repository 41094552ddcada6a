import { setTimeout as delay } from 'node:timers/promises'
import { findLiveMessage, forgetLiveMessage } from '../../db/outbox/live-messages.ts'
import { isKnownMessage } from '../../db/outbox/outbox.ts'
import type { ConversationRow } from '../../db/schema.ts'
import type { ChatPlatform, Outgoing } from '../../ports/chat.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isUpdate } from './is-update.ts'

const longestLookMs = 250

/**
 * Makes room for a lasting message, which its sender has claimed: waits until nobody changes the passing one any more
 * (whoever wants to sees the claim), then takes it away. Answers its id where the message takes its place instead.
 */
export async function clearStage(
  kernel: Kernel,
  platform: ChatPlatform,
  conversation: ConversationRow,
  message: Outgoing,
): Promise<string | undefined> {
  if (platform.retract === undefined) return undefined
  const live = await untilFree(kernel, conversation.id)
  if (live.messageId === undefined || isUpdate(message)) return undefined
  if (isOfTurn(message, live.turnId)) return live.messageId
  await forgetLiveMessage(kernel.db, conversation.id)
  // It may have become a lasting one whose record was lost half-way.
  if (await isKnownMessage(kernel.db, conversation, live.messageId)) return undefined
  await platform.retract(conversation.external_id, live.messageId)
  return undefined
}

function isOfTurn(message: Outgoing, turnId: string | undefined): boolean {
  return (message.kind === 'answer' || message.kind === 'remark') && message.turnId === turnId
}

async function untilFree(kernel: Kernel, conversationId: string) {
  for (;;) {
    const live = await findLiveMessage(kernel.db, conversationId)
    if (live.busyMs === 0) return live
    await delay(Math.min(live.busyMs, longestLookMs))
  }
}
