import type { User } from 'grammy/types'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

const patience = { timeoutMs: 90_000 }

/** What became of one order of a person. */
export interface Told {
  readonly order: string
  /** The word that its command writes. */
  readonly word: string
  readonly cards: readonly SeenMessage[]
  readonly answers: readonly SeenMessage[]
}

/** People who order a command, tap its card, wait for the answer, and order the next one. */
export class Talkers {
  readonly #people: readonly { readonly user: User; readonly chat: ChatHandle }[]
  readonly #words = new Map<ChatHandle, string[]>()

  constructor(telegram: TelegramStandIn, ids: readonly number[]) {
    this.#people = ids.map((id) => {
      const user = telegram.addUser({ id, first_name: `Person${id}` })
      return { user, chat: telegram.privateChat(user) }
    })
  }

  /** How many orders were given. */
  get said(): number {
    return [...this.#words.values()].flat().length
  }

  /** Everybody goes on until the signal; settles when all have their answers. */
  async talk(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#people.map(async ({ user, chat }) => {
        while (!signal.aborted) await this.#order(user, chat)
      }),
    )
  }

  /** A copy that nobody knows of asks on until it is tapped. */
  async tapWhatStillAsks(): Promise<void> {
    for (const { user, chat } of this.#people) {
      const asking = chat.botMessages().filter(({ buttons }) => buttons.length > 0)
      for (const { id } of asking) await chat.tap(user, id, 'Approve').waitForAnswer(patience)
    }
  }

  told(): readonly Told[] {
    return this.#people.flatMap(({ chat }) =>
      (this.#words.get(chat) ?? []).map((word) => {
        const all = chat.botMessages()
        const order = orderOf(word)
        return {
          order,
          word,
          cards: all.filter((message) => isCardOf(message, word)),
          answers: all.filter(({ text }) => text.endsWith(`ed: ${order}`)),
        }
      }),
    )
  }

  /** What each card has said since it was sent, in order, by its last line. */
  cardLives(): readonly (readonly string[])[] {
    return this.#people.flatMap(({ chat }) => {
      const shown = chat.history.filter(({ message }) => message.text.startsWith('❯'))
      const lives = Map.groupBy(shown, ({ message }) => message.id)
      return [...lives.values()].map((life) =>
        life.map(({ message }) => message.text.split('\n').at(-1) ?? ''),
      )
    })
  }

  async #order(user: User, chat: ChatHandle): Promise<void> {
    const words = this.#words.get(chat) ?? []
    const word = `p${user.id}-${words.length}`
    this.#words.set(chat, [...words, word])
    chat.send(user, orderOf(word))
    const card = await chat.waitForMessage((message) => isCardOf(message, word), patience)
    chat.tap(user, card.id, 'Approve')
    await chat.waitForMessage(
      ({ from, text }) => from.kind === 'bot' && text.endsWith(`ed: ${orderOf(word)}`),
      { ...patience, what: `the answer to ${word}` },
    )
  }
}

function orderOf(word: string): string {
  return `run: echo ${word} >> counter; sleep 0.3`
}

function isCardOf({ from, text }: SeenMessage, word: string): boolean {
  return from.kind === 'bot' && text.startsWith('❯') && text.includes(`echo ${word} `)
}
