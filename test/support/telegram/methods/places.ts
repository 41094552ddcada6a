import type { ChatState } from '../chats.ts'
import { badRequest, forbidden } from '../limits/refusal.ts'
import type { StoredMessage } from '../messages.ts'
import { isRecord, type Params } from '../params.ts'
import { findChat } from '../world.ts'
import type { Call } from './method.ts'

/** The chat of a call, if the bot may do anything there. */
export function chatOf(call: Call): ChatState {
  const id = chatIdOf(call)
  const state = findChat(call.world, call.bot, id)
  if (state === undefined) {
    // Somebody who is known but never began a chat.
    if (id > 0 && call.world.users.has(id)) {
      throw forbidden("bot can't initiate conversation with a user")
    }
    throw badRequest('chat not found')
  }
  const { type } = state.chat
  const group = type === 'private' ? 'private' : `${type} chat`
  const standing = state.bots.get(call.bot)
  if (standing === 'blocked') throw forbidden('bot was blocked by the user')
  if (standing === 'kicked') throw forbidden(`bot was kicked from the ${group}`)
  if (standing === 'left') throw forbidden(`bot is not a member of the ${group}`)
  return state
}

/** The chat of a call, if the bot may write there. */
export function writableChatOf(call: Call): ChatState {
  const state = chatOf(call)
  const standing = state.bots.get(call.bot)
  if (standing === 'muted') throw badRequest('not enough rights to send text messages to the chat')
  if (state.chat.type === 'channel' && standing !== 'admin') {
    throw badRequest('need administrator rights in the channel chat')
  }
  return state
}

function chatIdOf(call: Call): number {
  const { params, world } = call
  if (!params.has('chat_id')) throw badRequest('chat_id is empty')
  const value = params.all['chat_id']
  if (typeof value === 'string' && value.startsWith('@')) {
    const name = value.slice(1).toLowerCase()
    for (const [id, state] of world.groups) {
      if (state.chat.username?.toLowerCase() === name) return id
    }
    throw badRequest('chat not found')
  }
  return params.integer('chat_id') ?? 0
}

/** The topic to write in. Only forums have any, and their general one has no number. */
export function threadOf(state: ChatState, call: Call): number | undefined {
  const id = call.params.integer('message_thread_id')
  if (id === undefined || id === 0) return undefined
  if (state.chat.type === 'private') throw badRequest('message thread not found')
  if (state.chat.type !== 'supergroup' || !state.chat.is_forum) return undefined
  const topic = state.topics.get(id)
  if (topic === undefined) throw badRequest('message thread not found')
  if (topic.closed && state.bots.get(call.bot) !== 'admin') throw badRequest('TOPIC_CLOSED')
  return id
}

/** The message to answer; none where it is missing and that is allowed. */
export function replyOf(state: ChatState, params: Params): number | undefined {
  const wanted = wantedReply(params)
  if (wanted === undefined || wanted.messageId <= 0) return undefined
  const replied = state.messages.get(wanted.messageId)
  if (replied !== undefined && !replied.deleted) return replied.id
  if (wanted.optional) return undefined
  throw badRequest('message to be replied not found')
}

function wantedReply(
  params: Params,
): { readonly messageId: number; readonly optional: boolean } | undefined {
  const value = params.json('reply_parameters', 'reply parameters')
  if (value === undefined) {
    const messageId = params.integer('reply_to_message_id')
    return messageId === undefined
      ? undefined
      : { messageId, optional: params.flag('allow_sending_without_reply') }
  }
  if (!isRecord(value)) throw badRequest('object expected as reply parameters')
  if (Object.keys(value).length === 0) return undefined
  const { message_id: messageId, allow_sending_without_reply: optional } = value
  if (messageId === undefined) throw badRequest('can\'t find field "message_id"')
  if (typeof messageId !== 'number' || !Number.isSafeInteger(messageId)) {
    throw badRequest('field "message_id" must be of type Number')
  }
  if (optional !== undefined && typeof optional !== 'boolean') {
    throw badRequest('field "allow_sending_without_reply" must be of type Boolean')
  }
  return { messageId, optional: optional === true }
}

/** The message that a call names. `purpose` is Telegram's word for it: `message to edit`. */
export function messageOf(state: ChatState, params: Params, purpose: string): StoredMessage {
  const message = state.messages.get(params.integer('message_id') ?? 0)
  if (message === undefined || message.deleted) throw badRequest(`${purpose} not found`)
  return message
}

/** Options that change nothing here, read for their types. */
export function checkOptions(params: Params): void {
  params.flag('disable_notification')
  params.flag('protect_content')
  const preview = params.json('link_preview_options', 'link preview options')
  if (preview !== undefined && !isRecord(preview)) {
    throw badRequest('object expected as link preview options')
  }
}
