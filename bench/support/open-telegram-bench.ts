import type { User } from 'grammy/types'
import { serveTelegram } from '../../src/app/serve-telegram.ts'
import { createTelegramDoor } from '../../src/app/telegram-door.ts'
import { Secret } from '../../src/config/secrets.ts'
import { silentLog } from '../../src/util/log.ts'
import type { ChatHandle } from '../../test/support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../test/support/telegram/seen.ts'
import { createTelegram } from '../../test/support/telegram/telegram.ts'
import type { BenchModel } from './bench-model.ts'
import { openBench } from './open-bench.ts'

/** The whole product in this process, with a stand-in of Telegram beside it that speaks the Bot API over HTTP. */
export interface TelegramBench extends AsyncDisposable {
  readonly model: BenchModel
  /** A private chat of a person's own; there are as many as were asked for. */
  person(index: number): BenchPerson
  /** An empty call of the Bot API, as far as the stand-in itself is concerned. */
  ping(): Promise<unknown>
}

/** Somebody with a private chat. Times are of `performance.now()`. */
export interface BenchPerson {
  readonly user: User
  readonly chat: ChatHandle
  /** Writes, and waits for the next message of the bot that satisfies. */
  ask(text: string, wanted: (message: SeenMessage) => boolean): Promise<Seen>
  /** Taps, and waits for the next message that satisfies, edits of the card left out. */
  tap(messageId: number, button: string, wanted: (message: SeenMessage) => boolean): Promise<Seen>
}

export interface Seen {
  readonly message: SeenMessage
  readonly afterMs: number
}

const firstId = 1_000

export async function openTelegramBench(
  people: number,
  names: readonly string[] = [],
): Promise<TelegramBench> {
  const resources = new AsyncDisposableStack()
  const telegram = resources.use(await createTelegram())
  const ids = Array.from({ length: people }, (_, index) => firstId + index)
  const bench = resources.use(
    await openBench({
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
      COUNTERSIGN_TELEGRAM_ALLOWED_USERS: ids.join(','),
    }),
  )
  const { product, config, model } = bench
  const token = new Secret(telegram.token)
  resources.use(
    await serveTelegram({
      gateway: product,
      door: createTelegramDoor(),
      config,
      token,
      log: silentLog,
    }),
  )
  const persons = ids.map((id) => {
    const user = telegram.addUser({ id, first_name: names[id - firstId] ?? `Person ${id}` })
    return personOf(user, telegram.privateChat(user))
  })
  return {
    model,
    person: (index) => {
      const person = persons[index]
      if (person === undefined) throw new Error(`there is no person ${index}`)
      return person
    },
    ping: async () => (await fetch(`${telegram.url}/bot${telegram.token}/getMe`)).json(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function personOf(user: User, chat: ChatHandle): BenchPerson {
  const next = async (
    act: () => void,
    wanted: (message: SeenMessage) => boolean,
  ): Promise<Seen> => {
    const last = chat.messages().at(-1)?.id ?? 0
    const start = performance.now()
    act()
    const isNext = (message: SeenMessage): boolean =>
      message.id > last && message.from.kind === 'bot' && wanted(message)
    const message = await chat.waitForMessage(isNext, { timeoutMs: 60_000 })
    return { message, afterMs: performance.now() - start }
  }
  return {
    user,
    chat,
    ask: (text, wanted) => next(() => chat.send(user, text), wanted),
    tap: (messageId, button, wanted) => next(() => chat.tap(user, messageId, button), wanted),
  }
}
