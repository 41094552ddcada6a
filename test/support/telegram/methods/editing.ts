import { isDeepStrictEqual } from 'node:util'
import type { Message } from 'grammy/types'
import { type ChatState, changeMessage, deleteMessage as remove } from '../chats.ts'
import { badRequest } from '../limits/refusal.ts'
import { type StoredMessage, toApiMessage } from '../messages.ts'
import { type FormattedText, readFormattedText } from '../text/formatted-text.ts'
import { type Keyboard, readKeyboard } from '../text/markup.ts'
import type { Call } from './method.ts'
import { chatOf, checkOptions, messageOf } from './places.ts'

export function editMessageText(call: Call): Message {
  const { params } = call
  if (!params.has('text')) throw badRequest('message text is empty')
  const content = readFormattedText(params, 'text', 'entities')
  const keyboard = readKeyboard(call)
  checkOptions(params)
  const { state, message } = ownMessage(call)
  if (message.media !== undefined) throw badRequest('there is no text in the message to edit')
  if (content.text === '') throw badRequest('text must be non-empty')
  // Only sending has words for this.
  if (content.text.length > 4096) throw badRequest('MESSAGE_TOO_LONG')
  return edit(call, state, message, content, keyboard)
}

export function editMessageCaption(call: Call): Message {
  const { params } = call
  const content = readFormattedText(params, 'caption', 'caption_entities')
  const keyboard = readKeyboard(call)
  const { state, message } = ownMessage(call)
  if (message.media === undefined) throw badRequest('there is no caption in the message to edit')
  if (content.text.length > 1024) throw badRequest('MEDIA_CAPTION_TOO_LONG')
  return edit(call, state, message, content, keyboard)
}

export function editMessageReplyMarkup(call: Call): Message {
  const keyboard = readKeyboard(call)
  const { state, message } = ownMessage(call)
  return edit(call, state, message, message, keyboard)
}

export function deleteMessage(call: Call): true {
  const { params, world, bot } = call
  if (!params.has('chat_id')) throw badRequest('chat identifier is not specified')
  if (!params.has('message_id')) throw badRequest('message identifier is not specified')
  const state = chatOf(call)
  const message = messageOf(state, params, 'message to delete')
  const own = bot.sent.has(message)
  if (!(own || state.chat.type === 'private' || state.bots.get(bot) === 'admin')) {
    throw badRequest("message can't be deleted")
  }
  if (world.now() - message.at > 48 * 3_600_000 && state.bots.get(bot) !== 'admin') {
    throw badRequest("message can't be deleted for everyone")
  }
  remove(world, state, message)
  return true
}

function ownMessage(call: Call): { readonly state: ChatState; readonly message: StoredMessage } {
  const { params } = call
  if (!(params.has('chat_id') || params.has('message_id'))) {
    throw badRequest('message identifier is not specified')
  }
  const state = chatOf(call)
  const message = messageOf(state, params, 'message to edit')
  if (!call.bot.sent.has(message)) throw badRequest("message can't be edited")
  return { state, message }
}

function edit(
  call: Call,
  state: ChatState,
  message: StoredMessage,
  content: Pick<FormattedText, 'text' | 'entities' | 'html'>,
  keyboard: Keyboard | undefined,
): Message {
  const same =
    message.text === content.text &&
    isDeepStrictEqual(message.entities, content.entities) &&
    isDeepStrictEqual(message.keyboard, keyboard)
  if (same) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  }
  const { text, entities, html } = content
  changeMessage(call.world, state, message, { text, entities, html, keyboard, rich: undefined })
  return toApiMessage(state, message)
}
