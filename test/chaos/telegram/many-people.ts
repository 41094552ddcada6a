import type { User } from 'grammy/types'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

/** Somebody in a conversation with the bot. */
export interface Talk {
  /** As the product names the conversation. */
  readonly place: string
  /** Says something to the bot. */
  say(words: string): void
  /** What the bot has written there, in order. */
  answers(): readonly SeenMessage[]
}

/** How many conversations of each kind. */
export interface Crowd {
  readonly privates: number
  readonly groups: number
  readonly topics: number
}

const firstUser = 1_001
const firstGroup = -5_001
const forumId = -1_001_777_000_001

/** People in private chats, in groups, and in the topics of one forum. */
export function gather(telegram: TelegramStandIn, count: Crowd): readonly Talk[] {
  const total = count.privates + count.groups + count.topics
  const people = idsOf(total).map((id) => telegram.addUser(user(id)))
  const privates = people.slice(0, count.privates).map((person) => privateTalk(telegram, person))
  const groups = people
    .slice(count.privates, count.privates + count.groups)
    .map((person, index) => groupTalk(telegram, person, firstGroup - index))
  const inForum = people.slice(count.privates + count.groups)
  return [...privates, ...groups, ...forumTalks(telegram, inForum)]
}

/** Ids of so many people. */
export function idsOf(total: number): readonly number[] {
  return Array.from({ length: total }, (_, index) => firstUser + index)
}

function user(id: number): User {
  return { id, is_bot: false, first_name: `Person${id}` }
}

function privateTalk(telegram: TelegramStandIn, person: User): Talk {
  const chat = telegram.privateChat(person)
  return {
    place: String(chat.id),
    say: (words) => void chat.send(person, words),
    answers: () => chat.botMessages(),
  }
}

function groupTalk(telegram: TelegramStandIn, person: User, id: number): Talk {
  const chat = telegram.group({ id, title: `Group ${id}`, members: [person] })
  return {
    place: String(id),
    say: (words) => void chat.send(person, `${nameOf(telegram)} ${words}`),
    answers: () => chat.botMessages(),
  }
}

function forumTalks(telegram: TelegramStandIn, people: readonly User[]): readonly Talk[] {
  if (people.length === 0) return []
  const forum: ChatHandle = telegram.group({
    id: forumId,
    title: 'Forum',
    members: people,
    forum: true,
  })
  return people.map((person) => {
    const topic = forum.topic(`Topic of ${person.first_name}`)
    return {
      place: `${forumId}/${topic}`,
      say: (words) => void forum.send(person, `${nameOf(telegram)} ${words}`, { topic }),
      answers: () => forum.botMessages().filter(({ threadId }) => threadId === topic),
    }
  })
}

function nameOf({ bot }: TelegramStandIn): string {
  return `@${bot.username}`
}
