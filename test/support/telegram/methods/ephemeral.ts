import type { Message, User } from 'grammy/types'
import type { ChatState } from '../chats.ts'
import { badRequest } from '../limits/refusal.ts'
import { seconds } from '../messages.ts'
import { isRecord } from '../params.ts'
import type { FormattedText } from '../text/formatted-text.ts'
import type { Call } from './method.ts'
import { threadOf, writableChatOf } from './places.ts'

/** Whom a message is for alone; undefined: for everybody, as for a server that does not know the parameter. */
export function readReceiver({ world, params }: Call): User | undefined {
  if (world.lacks.has('ephemeral_messages')) return undefined
  const given = params.json('ephemeral_message_parameters', 'ephemeral message parameters')
  if (given === undefined) return undefined
  if (!isRecord(given)) throw badRequest('object expected as ephemeral message parameters')
  const odd = Object.keys(given).find((field) => field !== 'receiver_user_id')
  if (odd !== undefined) throw badRequest(`nothing here speaks of "${odd}"`)
  const user = world.users.get(Number(given['receiver_user_id']))
  if (user === undefined || user.is_bot) throw badRequest('invalid receiver_user_id specified')
  return user
}

/**
 * https://core.telegram.org/bots/features#ephemeral-messages: in groups and supergroups; without a tap or an ephemeral
 * message that it answers, the bot must be an administrator. Telegram's word for the lack is MESSAGE_NOT_COMMAND.
 */
export function sendEphemeral(call: Call, receiver: User, content: FormattedText): Message {
  const { world, bot } = call
  const state: ChatState = writableChatOf(call)
  if (!state.chat.type.endsWith('group')) throw badRequest('ephemeral messages are for groups')
  if (state.bots.get(bot) !== 'admin') throw badRequest('MESSAGE_NOT_COMMAND')
  const threadId = threadOf(state, call)
  const id = 29_000_001 + state.ephemeral.length
  state.ephemeral.push({ id, receiver, text: content.text, threadId })
  world.changed()
  return {
    message_id: 0,
    ephemeral_message_id: id,
    receiver_user: receiver,
    chat: state.chat,
    date: seconds(world.now()),
    text: content.text,
  } as Message
}
