import { Secret } from '../../src/config/secrets.ts'
import { serveTelegram } from '../../src/gateway/serve-telegram.ts'
import { createTelegramWebhook } from '../../src/gateway/telegram-webhook.ts'
import { silentLog } from '../../src/util/log.ts'
import { createTelegram } from '../../test/support/telegram/telegram.ts'
import type { BenchModel } from './bench-model.ts'
import { type BenchPerson, personOf } from './bench-person.ts'
import { openBench } from './open-bench.ts'

/** The whole product in this process, with a stand-in of Telegram beside it that speaks the Bot API over HTTP. */
export interface TelegramBench extends AsyncDisposable {
  readonly model: BenchModel
  /** A private chat of a person's own; there are as many as were asked for. */
  person(index: number): BenchPerson
  /** An empty call of the Bot API, as far as the stand-in itself is concerned. */
  ping(): Promise<unknown>
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
      telegramWebhook: createTelegramWebhook(),
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
