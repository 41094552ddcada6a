import { observe } from '../../src/app/logs/observe.ts'
import { serveHttp } from '../../src/app/processes/serve-http.ts'
import type { Config } from '../../src/config/config.ts'
import { Secret } from '../../src/config/secrets.ts'
import { findConversation } from '../../src/db/turn/conversations.ts'
import type { ServedChat } from '../../src/gateway/chat-service.ts'
import { serveTelegram } from '../../src/gateway/serve-telegram.ts'
import { createTelegramWebhook } from '../../src/gateway/telegram-webhook.ts'
import { silentLog } from '../../src/util/log.ts'
import { createFlow, type Flow, type FlowOptions, until } from './flow.ts'
import { createTelegram, type TelegramOptions, type TelegramStandIn } from './telegram/telegram.ts'

export interface TelegramFlowOptions extends FlowOptions {
  readonly telegram?: TelegramOptions
  /** Instead of one of its own: an earlier flow's. */
  readonly standIn?: TelegramStandIn
  /** Changes what the settings gave before Telegram is served, for what they refuse. */
  readonly serveWith?: (config: Config) => Config
}

/** The whole product in this process, serving Telegram's stand-in. Ada (41) may talk, Eve (44) approves, Olga (45) operates. */
export interface TelegramFlow extends Flow {
  readonly telegram: TelegramStandIn
  readonly served: ServedChat
  /** Waits until nothing but questions is under way in a chat, and all is delivered. */
  settled(chatId: number): Promise<void>
}

export async function createTelegramFlow(options: TelegramFlowOptions): Promise<TelegramFlow> {
  const resources = new AsyncDisposableStack()
  const telegram = options.standIn ?? resources.use(await createTelegram(options.telegram))
  const settings = {
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '41,42',
    COUNTERSIGN_TELEGRAM_APPROVERS: '44',
    COUNTERSIGN_TELEGRAM_OPERATORS: '45',
    ...options.settings,
  }
  const flow = resources.use(await createFlow({ ...options, settings }))
  const { product, config } = flow
  const token = new Secret(telegram.token)
  const log = options.log ?? silentLog
  const serving = options.serveWith?.(config) ?? config
  const telegramWebhook = createTelegramWebhook()
  const { metrics } = resources.use(await observe({ config, log, process: 'start' }))
  if (serving.telegram.webhookUrl !== undefined) {
    resources.use(
      await serveHttp({
        config: serving,
        log,
        checks: {},
        metrics,
        routes: [telegramWebhook.route],
      }),
    )
  }
  const gateway = product
  const served = resources.use(
    await serveTelegram({ gateway, telegramWebhook, config: serving, token, log }),
  )
  return Object.assign(flow, {
    telegram,
    served,
    settled: async (chatId: number) => {
      await until('the chat is known', async () => (await roomOf(flow, chatId)) !== undefined)
      await flow.quietOf((await roomOf(flow, chatId)) ?? '')
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  })
}

async function roomOf(flow: Flow, chatId: number): Promise<string | undefined> {
  return (await findConversation(flow.db, 'telegram', String(chatId)))?.id
}
