import type { BotIdentity } from '../../../../../src/adapters/chat/telegram/connect.ts'

export const me: BotIdentity = {
  id: 7_000_000_001,
  username: 'OurTestBot',
  name: 'Our bot',
  canJoinGroups: true,
  readsWholeGroups: false,
}

export const ada = {
  id: 42,
  is_bot: false,
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  language_code: 'en',
}
export const ourBot = { id: me.id, is_bot: true, first_name: me.name, username: me.username }
export const adasChat = { id: 42, type: 'private', first_name: 'Ada', username: 'ada' }
export const group = { id: -100_123, type: 'supergroup', title: 'Team', is_forum: true }

type Fields = Readonly<Record<string, unknown>>

export function privateMessage(updateId: number, text: string, fields: Fields = {}) {
  return {
    update_id: updateId,
    message: { message_id: 10, date: 1_800_000_000, chat: adasChat, from: ada, text, ...fields },
  }
}

export function groupMessage(updateId: number, text: string, fields: Fields = {}) {
  return privateMessage(updateId, text, { chat: group, ...fields })
}

export function tap(updateId: number, fields: Fields = {}) {
  return {
    update_id: updateId,
    callback_query: {
      id: `callback-${updateId}`,
      from: ada,
      chat_instance: '-1',
      data: 'AAAAAAAAAAAAAAAAAAAAAA',
      message: { message_id: 11, date: 1_800_000_000, chat: adasChat, from: ourBot, text: 'Card' },
      ...fields,
    },
  }
}

/** *Stop* below a draft. */
export function stopped(updateId: number, fields: Fields = {}) {
  return {
    update_id: updateId,
    stopped_message_generation: { chat: adasChat, draft_id: 77, ...fields },
  }
}

/** An entity over the first occurrence of `part`. */
export function entity(type: string, text: string, part: string, fields: Fields = {}) {
  return { type, offset: text.indexOf(part), length: part.length, ...fields }
}
