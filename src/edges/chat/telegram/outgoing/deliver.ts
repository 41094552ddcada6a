import type { Api } from 'grammy'
import type { ChatPlatform, DeliveryContext, Outgoing } from '../../../../ports/chat.ts'
import { assertNever } from '../../../../util/assert-never.ts'
import { toTelegramHtml } from '../render/to-telegram-html.ts'
import type { LiveView } from './live/live-view.ts'
import { type Place, parsePlace } from './place.ts'
import { sendBatch, updateBatch } from './send-batch.ts'
import { type SentMessage, sendCard, updateCard } from './send-card.ts'
import { sendNotice } from './send-notice.ts'
import { sendParts, textParts } from './send-parts.ts'
import { createSender, type Sender } from './sender.ts'
import { toDelivery } from './to-delivery.ts'

export interface DeliveryOptions {
  readonly api: Api
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told of what went, and of what the API asked to wait for. */
  readonly live: Pick<LiveView, 'onDelivered' | 'onBusy' | 'busyMs'>
}

interface Sending extends DeliveryOptions {
  readonly sender: Sender
}

/** What delivers messages of the outbox to Telegram. It tries once: whether and when again is the outbox's to say. */
export function createDelivery(options: DeliveryOptions): ChatPlatform['deliver'] {
  const { api, live } = options
  const sending: Sending = { ...options, sender: createSender(api) }
  return async (name, message, context) => {
    const place = parsePlace(name)
    if (place === undefined) return { kind: 'refused', why: 'there can be no such chat' }
    // The limits are the chat's: all topics of a forum wait together.
    const afterMs = live.busyMs(name)
    if (afterMs > 0)
      return { kind: 'busy', afterMs, why: 'Telegram asked to leave this chat alone' }
    try {
      const sent = await send(sending, place, message, context)
      if (sent === undefined) return { kind: 'refused', why: 'no message to edit was named' }
      live.onDelivered(name, message, sent.messageId)
      return { kind: 'sent', ...sent }
    } catch (error) {
      const failed = toDelivery(error)
      if (failed.kind === 'busy') live.onBusy(name, failed.afterMs)
      return failed
    }
  }
}

/** Undefined: there is no message to edit. */
async function send(
  sending: Sending,
  place: Place,
  message: Outgoing,
  context: DeliveryContext,
): Promise<SentMessage | undefined> {
  switch (message.kind) {
    case 'answer':
    case 'remark':
      return sendTexts(sending, place, toTelegramHtml(message.markdown), context)
    case 'notice':
      return sendNotice(sending, place, message, context)
    case 'card':
      return sendCard(sending, place, message.card, context)
    case 'card_update':
      if (context.editOf === undefined) return undefined
      return updateCard(sending, place, message.card, context.editOf, context)
    case 'batch':
      return sendBatch(sending, place, message.batch, context)
    case 'batch_update':
      if (context.editOf === undefined) return undefined
      return updateBatch(sending, place, message.batch, context.editOf, context)
    default:
      return assertNever(message)
  }
}

async function sendTexts(
  { sender }: Sending,
  place: Place,
  texts: readonly string[],
  context: DeliveryContext,
): Promise<SentMessage> {
  const parts = textParts(sender, place, texts, context.liveMessageId)
  return { messageId: await sendParts(parts, context) }
}
