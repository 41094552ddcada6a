import type { Message } from 'grammy/types'
import { addMessage, type NewMessage, threadOfReply } from '../chats.ts'
import { badRequest } from '../limits/refusal.ts'
import { toApiMessage } from '../messages.ts'
import { isRecord } from '../params.ts'
import { findEntities } from '../text/entities.ts'
import { readFormattedText } from '../text/formatted-text.ts'
import { readKeyboard } from '../text/markup.ts'
import { readRichBlocks } from '../text/rich-blocks.ts'
import { keepFile } from '../world.ts'
import { readReceiver, sendEphemeral } from './ephemeral.ts'
import type { Call } from './method.ts'
import { checkOptions, replyOf, threadOf, writableChatOf } from './places.ts'

export function sendMessage(call: Call): Message {
  const { params } = call
  if (!params.has('text')) throw badRequest('message text is empty')
  const content = readFormattedText(params, 'text', 'entities')
  const keyboard = readKeyboard(call)
  checkOptions(params)
  if (content.text === '') throw badRequest('text must be non-empty')
  if (content.text.length > 4096) throw badRequest('message is too long')
  const receiver = readReceiver(call)
  if (receiver !== undefined) return sendEphemeral(call, receiver, content)
  return send(call, { content, keyboard })
}

/** https://core.telegram.org/bots/api#sendrichmessage, by blocks alone: HTML and Markdown take buttons and media too. */
export function sendRichMessage(call: Call): Message {
  const { params } = call
  const message = params.json('rich_message', 'rich message')
  if (!isRecord(message)) throw badRequest('object expected as rich message')
  const given = ['html', 'markdown', 'blocks'].filter((field) => message[field] !== undefined)
  if (given.join() !== 'blocks') throw badRequest('exactly the blocks of a rich message are taken')
  const { blocks, content } = readRichBlocks(message['blocks'])
  const found = message['skip_entity_detection'] === true ? [] : findEntities(content.text)
  const keyboard = readKeyboard(call)
  checkOptions(params)
  const entities = [...content.entities, ...found]
  return send(call, { content: { ...content, entities }, rich: blocks, keyboard })
}

export function sendDocument(call: Call): Message {
  const { params } = call
  const content = readFormattedText(params, 'caption', 'caption_entities')
  if (content.text.length > 1024) throw badRequest('message caption is too long')
  const keyboard = readKeyboard(call)
  checkOptions(params)
  const given = params.text('document')
  const field = given?.startsWith('attach://') ? given.slice('attach://'.length) : 'document'
  const upload = params.files.get(field)
  if (upload === undefined) return sendKnownDocument(call, given, { content, keyboard })
  if (upload.bytes.length === 0) throw badRequest('file must be non-empty')
  const file = keepFile(call.world, upload, 'documents')
  return send(call, { content, keyboard, media: { kind: 'document', file } })
}

function sendKnownDocument(
  call: Call,
  fileId: string | undefined,
  given: Pick<NewMessage, 'content' | 'keyboard'>,
): Message {
  if (fileId === undefined || fileId.startsWith('attach://')) {
    throw badRequest('there is no document in the request')
  }
  const file = call.world.files.get(fileId)
  if (file === undefined) {
    throw badRequest('wrong remote file identifier specified: Wrong padding in the string')
  }
  return send(call, { ...given, media: { kind: 'document', file } })
}

function send(
  call: Call,
  given: Pick<NewMessage, 'content' | 'keyboard' | 'media' | 'rich'>,
): Message {
  const { world, bot, params } = call
  const state = writableChatOf(call)
  const topic = threadOf(state, call)
  const answered = replyOf(state, params)
  const thread = threadOfReply(state, answered)
  // What answers a message of another topic is no reply within this one.
  const replyTo = topic !== undefined && thread !== topic ? undefined : answered
  const message = addMessage(world, state, {
    ...given,
    author: state.chat.type === 'channel' ? { senderChat: state.chat } : { user: plainUser(call) },
    replyTo,
    threadId: topic ?? thread,
  })
  bot.sent.add(message)
  state.draft = undefined
  return toApiMessage(state, message)
}

function plainUser(call: Call): NonNullable<NewMessage['author']['user']> {
  const { id, first_name, username } = call.bot.user
  return { id, is_bot: true, first_name, username }
}
