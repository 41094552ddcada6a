import type { User } from 'grammy/types'
import type { BotState } from './bots.ts'
import { addMessage, type ChatState, type NewMessage, threadOfReply } from './chats.ts'
import { type StoredMessage, seconds, toApiMessage } from './messages.ts'
import { findEntities } from './text/entities.ts'
import type { UpdateKind } from './update-queue.ts'
import type { World } from './world.ts'

/** Puts what somebody sent into the chat and tells the bots that may see it. */
export function arrive(world: World, state: ChatState, given: NewMessage): StoredMessage {
  const threadId = given.threadId ?? threadOfReply(state, given.replyTo)
  const message = addMessage(world, state, { ...given, threadId })
  tellBots(world, state, state.chat.type === 'channel' ? 'channel_post' : 'message', message)
  return message
}

export function tellBots(
  world: World,
  state: ChatState,
  kind: UpdateKind,
  message: StoredMessage,
): void {
  for (const [bot, standing] of state.bots) {
    if (standing === 'blocked' || standing === 'kicked' || standing === 'left') continue
    if (maySee(state, bot, message)) bot.updates.push(kind, toApiMessage(state, message))
  }
  world.changed()
}

/** In privacy mode a bot sees of a group only what is for it: commands, mentions, replies to it. */
function maySee(state: ChatState, bot: BotState, message: StoredMessage): boolean {
  const group = state.chat.type === 'group' || state.chat.type === 'supergroup'
  const readsAll = bot.user.can_read_all_group_messages || state.bots.get(bot) === 'admin'
  if (!group || readsAll || message.service !== undefined) return true
  const replied = state.messages.get(message.replyTo ?? 0)
  if (replied !== undefined && bot.sent.has(replied)) return true
  const name = `@${bot.user.username.toLowerCase()}`
  return findEntities(message.text).some(({ type, offset, length }) => {
    const words = message.text.slice(offset, offset + length).toLowerCase()
    if (type === 'mention') return words === name
    return type === 'bot_command' && (words.endsWith(name) || !words.includes('@'))
  })
}

/** Changes what a bot is in a chat and tells it, as the platform does. */
export function changeStanding(
  world: World,
  state: ChatState,
  bot: BotState,
  standing: 'member' | 'admin' | 'muted' | 'blocked' | 'kicked' | 'left',
  by: User,
): void {
  const before = memberOf(bot, state.bots.get(bot) ?? 'left')
  state.bots.set(bot, standing)
  bot.updates.push('my_chat_member', {
    chat: state.chat,
    from: by,
    date: seconds(world.now()),
    old_chat_member: before,
    new_chat_member: memberOf(bot, standing),
  })
  world.changed()
}

function memberOf(bot: BotState, standing: string): Readonly<Record<string, unknown>> {
  const { id, first_name, username } = bot.user
  const user = { id, is_bot: true, first_name, username }
  switch (standing) {
    case 'blocked':
    case 'kicked':
      return { status: 'kicked', user, until_date: 0 }
    case 'admin':
      return { status: 'administrator', user, can_be_edited: false, is_anonymous: false }
    case 'muted':
      return {
        status: 'restricted',
        user,
        is_member: true,
        can_send_messages: false,
        until_date: 0,
      }
    default:
      return { status: standing, user }
  }
}
