import { setTimeout as delay } from 'node:timers/promises'
import type { User } from 'grammy/types'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

const firstId = 1_001

/** An order of a person, and what was shown of it. Times in Unix milliseconds. */
export interface Order {
  readonly text: string
  /** What its command writes into the conversation's counter. */
  readonly word: string
  readonly chat: ChatHandle
  readonly messageId: number
  readonly at: number
  answeredAt?: number
}

export interface CrowdOptions {
  readonly people: number
  /** The command's end behind the line that it writes. */
  readonly ending?: string
  /** After so many orders of a person `/clear` begins a fresh transcript. */
  readonly clearEvery?: number
  /** Between an answer and the next order, in milliseconds. */
  readonly pauseMs?: number
  /** How long the last answers may take once nobody orders any more, in milliseconds. */
  readonly patienceMs?: number
  /** How often a person looks at the chat, in milliseconds. */
  readonly lookEveryMs?: number
  /** Deletes what is two orders old from the chat, which would grow without end. */
  readonly forgets?: boolean
}

/** Ids of so many people, for those who may talk. */
export function idsOf(people: number): readonly number[] {
  return Array.from({ length: people }, (_, index) => firstId + index)
}

/** People in private chats who order a command, tap its card, wait for the answer, and order the next one. */
export class Crowd {
  readonly orders: Order[] = []
  cleared = 0
  /** In Unix milliseconds. */
  #deadline = Number.POSITIVE_INFINITY
  readonly #options: CrowdOptions
  readonly #people: readonly { readonly user: User; readonly chat: ChatHandle }[]

  constructor(telegram: TelegramStandIn, options: CrowdOptions) {
    this.#options = options
    this.#people = idsOf(options.people).map((id) => {
      const user = telegram.addUser({ id, first_name: `Person${id}` })
      return { user, chat: telegram.privateChat(user) }
    })
  }

  /** Orders that have their answers. */
  get answered(): number {
    return this.orders.filter(({ answeredAt }) => answeredAt !== undefined).length
  }

  /** How long answers since then took, in milliseconds. */
  waitsSince(from: number): readonly number[] {
    return this.orders.flatMap(({ at, answeredAt = 0 }) =>
      answeredAt >= from ? [answeredAt - at] : [],
    )
  }

  /** Everybody goes on until the signal; settles when all have their answers. */
  async talk(signal: AbortSignal): Promise<void> {
    const { clearEvery = 8, pauseMs = 0, forgets = false, patienceMs = 240_000 } = this.#options
    signal.addEventListener('abort', () => {
      this.#deadline = Date.now() + patienceMs
    })
    await Promise.all(
      this.#people.map(async ({ user, chat }) => {
        for (let count = 1; !signal.aborted; count += 1) {
          const before = chat.messages().at(-1)?.id ?? 0
          await this.#order(user, chat, count)
          if (forgets) forget(chat, before)
          if (count % clearEvery === 0) await this.#clear(user, chat)
          await delay(pauseMs, undefined, { signal }).catch(() => undefined)
        }
      }),
    )
  }

  /** A copy of a card that nobody knows of asks on until it is tapped. */
  async tapWhatStillAsks(): Promise<void> {
    for (const { user, chat } of this.#people) {
      const asking = chat.botMessages().filter(({ buttons }) => buttons.length > 0)
      for (const { id } of asking) {
        await chat.tap(user, id, 'Approve').waitForAnswer({ timeoutMs: 60_000 })
      }
    }
  }

  async #order(user: User, chat: ChatHandle, count: number): Promise<void> {
    const { ending = '', lookEveryMs = 100 } = this.#options
    const word = `p${user.id}-${count}`
    const text = `run: echo ${word} >> counter${ending}`
    const at = Date.now()
    const order: Order = { text, word, chat, at, messageId: chat.send(user, text).message_id }
    this.orders.push(order)
    const tapped = new Set<number>()
    while (order.answeredAt === undefined) {
      if (Date.now() > this.#deadline) throw unanswered(order)
      await delay(lookEveryMs)
      const shown = shownSince(order)
      for (const card of shown.filter((message) => isAsking(message) && !tapped.has(message.id))) {
        tapped.add(card.id)
        chat.tap(user, card.id, 'Approve')
      }
      const answer = shown.find((message) => isAnswerTo(order, message))
      // It may have begun as a passing message.
      if (answer !== undefined) order.answeredAt = answer.editedAt ?? answer.at
    }
  }

  async #clear(user: User, chat: ChatHandle): Promise<void> {
    const { lookEveryMs = 100 } = this.#options
    const { message_id: since } = chat.send(user, '/clear')
    this.cleared += 1
    while (!chat.messages().some(({ id, text }) => id > since && text.startsWith('Cleared'))) {
      if (Date.now() > this.#deadline) throw new Error(`nobody cleared ${chat.id}`)
      await delay(lookEveryMs)
    }
  }
}

/** What comes before the last order may still be edited no more. */
function forget(chat: ChatHandle, upTo: number): void {
  for (const { id } of chat.messages().filter((message) => message.id <= upTo)) chat.delete(id)
}

/** Every copy of the order's answer, in order. */
export function answersTo(order: Order): readonly SeenMessage[] {
  return shownSince(order).filter((message) => isAnswerTo(order, message))
}

/** Every copy of the order's card, in order. */
export function cardsOf(order: Order): readonly SeenMessage[] {
  return shownSince(order).filter(
    ({ text }) => text.startsWith('❯') && text.includes(`echo ${order.word} `),
  )
}

function shownSince({ chat, messageId }: Order): readonly SeenMessage[] {
  return chat.botMessages().filter(({ id }) => id > messageId)
}

function isAsking({ buttons, text }: SeenMessage): boolean {
  return text.startsWith('❯') && buttons.flat().some((button) => button.text.includes('Approve'))
}

/** `finished: …` or `interrupted: …`. */
function isAnswerTo({ text: order }: Order, { text }: SeenMessage): boolean {
  return text.endsWith(`ed: ${order}`)
}

function unanswered({ text, chat }: Order): Error {
  const shown = chat.messages().map((message) => `  ${message.id} ${message.text}`)
  return new Error(`no answer to ${text}; the chat shows\n${shown.slice(-12).join('\n')}`)
}
