import type { User } from 'grammy/types'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import type { Shown, Talk } from './talk.ts'

const firstUser = 3_001
const firstGroup = -7_001
/** Of so many conversations one is a group. */
const groupEvery = 6

/** Ids of so many people. */
export function telegramIds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => firstUser + index)
}

/** So many conversations: private chats, and some groups. */
export function telegramTalks(telegram: TelegramStandIn, count: number): readonly Talk[] {
  return telegramIds(count).map((id, index) => {
    const person = telegram.addUser({ id, first_name: `Person${id}` })
    if (index % groupEvery !== 0) return toTalk(telegram.privateChat(person), person, '')
    const title = `Group ${index}`
    const group = telegram.group({ id: firstGroup - index, title, members: [person] })
    return toTalk(group, person, `@${telegram.bot.username} `)
  })
}

function toTalk(chat: ChatHandle, person: User, mention: string): Talk {
  return {
    name: `telegram-${person.id}`,
    place: String(chat.id),
    platform: 'telegram',
    say: (words) => void chat.send(person, `${mention}${words}`),
    shown: () => chat.botMessages().map(toShown),
    approve: async (id) => {
      chat.tap(person, Number(id), 'Approve')
    },
  }
}

function toShown({ id, text, buttons }: SeenMessage): Shown {
  return { id: String(id), text, asks: buttons.length > 0 }
}
