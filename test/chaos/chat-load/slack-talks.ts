import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import type { SlackStandIn } from '../../support/slack/slack.ts'
import type { SlackUser } from '../../support/slack/users.ts'
import type { Talk } from './talk.ts'

/** Of so many conversations one is a thread of a channel; so many threads share a channel, and its limits. */
const threadEvery = 3
const threadsOfChannel = 3
const tapAgainMs = 300
/** Words that nothing was done may be lost, too. */
const impatientMs = 10_000

/** Ids of so many people. */
export function slackIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `U0LOAD${String(index).padStart(4, '0')}`)
}

/** So many conversations: direct messages, and threads of channels. */
export function slackTalks(slack: SlackStandIn, count: number): readonly Talk[] {
  const people = slackIds(count).map((id) => slack.user(`person-${id.toLowerCase()}`, { id }))
  const inThreads = people.filter((_, index) => index % threadEvery === 0)
  const channels = inThreads.flatMap((_, index) => {
    const members = inThreads.slice(index, index + threadsOfChannel)
    const isFirst = index % threadsOfChannel === 0
    return isFirst ? [slack.channel({ name: `load-${index}`, members })] : []
  })
  return people.map((person) => {
    const index = inThreads.indexOf(person)
    const channel = channels[Math.floor(index / threadsOfChannel)]
    return channel === undefined ? direct(slack, person) : threaded(slack, channel, person)
  })
}

function direct(slack: SlackStandIn, person: SlackUser): Talk {
  const dm = slack.dm(person)
  return {
    ...toTalk(dm, person),
    place: dm.id,
    say: (words) => void dm.say(person, words),
    shown: () => dm.botMessages().map(toShown),
  }
}

function threaded(slack: SlackStandIn, channel: ChannelHandle, person: SlackUser): Talk {
  let thread: string | undefined
  return {
    ...toTalk(channel, person),
    get place() {
      return thread === undefined ? undefined : `${channel.id}/${thread}`
    },
    say: (words) => {
      const below = thread === undefined ? {} : { thread }
      const ts = channel.say(person, `${slack.mention} ${words}`, below)
      thread ??= ts
    },
    shown: () => {
      const messages = channel.botMessages().filter(({ threadTs }) => threadTs === thread)
      return thread === undefined ? [] : messages.map(toShown)
    },
  }
}

/** A tap that found no connection, or of which the person is told that nothing was done, is tapped again, as people do. */
function toTalk(
  channel: ChannelHandle,
  person: SlackUser,
): Pick<Talk, 'name' | 'platform' | 'approve'> {
  const told = (words: string) =>
    channel.ephemerals(person).filter(({ text }) => text.includes(words)).length
  return {
    name: `slack-${person.id}`,
    platform: 'slack',
    approve: async (id, isDone = () => false) => {
      const wasAnswered = told('Already')
      const isOver = () => isDone() || told('Already') > wasAnswered || !asks(channel.message(id))
      while (!isOver()) {
        const before = told('nothing was done')
        const { kind } = await channel.click(person, id, 'Approve').outcome
        const againAt = performance.now() + (kind === 'acked' ? impatientMs : tapAgainMs)
        while (!isOver() && performance.now() < againAt && told('nothing was done') === before)
          await delay(100)
      }
    },
  }
}

type Seen = ReturnType<ChannelHandle['botMessages']>[number]

function toShown({ ts, text, buttons }: Seen) {
  return { id: ts, text, asks: asks({ buttons }) }
}

/** Answers have buttons of their own, by which people say what they think of them. */
function asks({ buttons }: Pick<Seen, 'buttons'>): boolean {
  return buttons.some(({ label }) => label === 'Approve')
}
