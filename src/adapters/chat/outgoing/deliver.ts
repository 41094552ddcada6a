import type { ChatPlatform, DeliveryContext, Outgoing } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/guards.ts'
import type { LiveView } from '../live/live-view.ts'
import { drawMarkdown } from '../render/draw-texts.ts'
import { toPrintable } from '../render/printable.ts'
import type { Messenger, Sending, Target } from './messenger.ts'
import { sendBatch, updateBatch } from './send-batch.ts'
import { type SentMessage, sendCard, updateCard } from './send-card.ts'
import { sendNotice } from './send-notice.ts'
import { type Part, sendParts, textParts } from './send-parts.ts'

export interface DeliveryOptions<Drawn> extends Sending<Drawn> {
  /** Notified of deliveries and of requests to wait. */
  readonly live: Pick<LiveView, 'onDelivered' | 'onBusy' | 'busyMs'>
}

/** Creates the function that delivers messages of the outbox to a platform. It tries once; retries are up to the outbox. */
export function createDelivery<Drawn>(options: DeliveryOptions<Drawn>): ChatPlatform['deliver'] {
  const { messenger, live } = options
  return async (place, message, context) => {
    if (messenger.chatOf(place) === undefined)
      return { kind: 'refused', why: 'there can be no such chat' }
    // Limits apply per chat: all topics of a forum wait together.
    const afterMs = live.busyMs(place)
    if (afterMs > 0)
      return { kind: 'busy', afterMs, why: `${messenger.title} asked to leave this chat alone` }
    try {
      const reaching = { ...options, messenger: withReplyPath(messenger, context) }
      const sent = await send(reaching, place, message, context)
      if (sent === undefined) return { kind: 'refused', why: 'no message to edit was named' }
      live.onDelivered(place, message, sent.messageId)
      messenger.settled?.(place)
      return { kind: 'sent', ...sent }
    } catch (error) {
      const failed = messenger.toDelivery(error)
      if (failed.kind === 'busy') live.onBusy(place, failed.afterMs, failed.isOfMethod)
      return failed
    }
  }
}

/** Undefined if there is no message to edit. */
async function send<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  message: Outgoing,
  context: DeliveryContext,
): Promise<SentMessage | undefined> {
  const { editOf } = context
  switch (message.kind) {
    case 'answer':
    case 'remark':
      return sendMarkdown(sending.messenger, place, message, context)
    case 'notice':
      return sendNotice(sending.messenger, place, message, context)
    case 'card':
      return sendCard(sending, place, message.card, context)
    case 'card_update':
      if (editOf === undefined) return undefined
      return updateCard(sending, place, message.card, { ...context, editOf })
    case 'batch':
      return sendBatch(sending, place, message.batch, context)
    case 'batch_update':
      if (editOf === undefined) return undefined
      return updateBatch(sending, place, message.batch, { ...context, editOf })
    default:
      return assertNever(message)
  }
}

async function sendMarkdown<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  { kind, markdown, turnId }: Extract<Outgoing, { kind: 'answer' | 'remark' }>,
  context: DeliveryContext,
): Promise<SentMessage> {
  const texts = drawMarkdown(messenger.canvas, markdown)
  const isRated = kind === 'answer' && messenger.hasFeedback?.() === true
  const below = isRated ? { feedback: await context.mintFeedbackTokens(turnId) } : {}
  const target = { messenger, place }
  if (texts.length <= maxMessages) {
    const parts = textParts(target, texts, context.liveMessageId, { below })
    return { messageId: await sendParts(parts, context) }
  }
  const parts = textParts(target, texts.slice(0, 1), context.liveMessageId, { below })
  return { messageId: await sendParts([...parts, wholeAnswer(target, markdown)], context) }
}

/** TG-07: more messages than people read in a chat. */
const maxMessages = 4

/** TG-07: sends a long answer as a file, below the message with its beginning. */
function wholeAnswer<Drawn>({ messenger, place }: Target<Drawn>, markdown: string): Part {
  const bytes = Buffer.from(toPrintable(markdown))
  const caption = messenger.canvas.messages.display.answerCaption({ bytes: bytes.length })
  return () => messenger.sendFile(place, { name: 'answer.md', bytes, caption })
}

/**
 * Adds a fallback for commands from a chat that the bot is not in: the reply goes by the reply path of the command. Messages
 * with buttons are excluded.
 */
function withReplyPath<Drawn>(
  messenger: Messenger<Drawn>,
  { replyPath }: DeliveryContext,
): Messenger<Drawn> {
  const { sendBack } = messenger
  if (sendBack === undefined || replyPath === undefined) return messenger
  return {
    ...messenger,
    send: async (place, drawn, options) => {
      try {
        return await messenger.send(place, drawn, options)
      } catch (error) {
        if (messenger.toDelivery(error).kind !== 'refused') throw error
        const path = (options?.buttons ?? []).length === 0 ? await replyPath() : undefined
        const id = path === undefined ? undefined : await sendBack(place, path, drawn, error)
        if (id === undefined) throw error
        return id
      }
    },
  }
}
