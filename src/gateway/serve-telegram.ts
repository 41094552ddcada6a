import type { Api } from 'grammy'
import { type BotIdentity, connect } from '../adapters/chat/telegram/connect.ts'
import {
  createFailureReporter,
  type OnFailure,
} from '../adapters/chat/telegram/incoming/api-failure.ts'
import { poll } from '../adapters/chat/telegram/incoming/poll.ts'
import { createWebhook, webhookSecret } from '../adapters/chat/telegram/incoming/webhook.ts'
import { createTelegramPlatform } from '../adapters/chat/telegram/outgoing/create-platform.ts'
import { registerCommands } from '../adapters/chat/telegram/register-commands.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import { createTransientMessageLock } from '../core/delivery/transient-message-lock.ts'
import { listCommands } from '../core/inbox/commands/find-command.ts'
import type { Db } from '../db/schema.ts'
import type { Messages } from '../domain/messages/messages.ts'
import type { Intake } from '../ports/chat.ts'
import { untilAborted } from '../util/abort.ts'
import { newId } from '../util/ids.ts'
import type { Log } from '../util/log.ts'
import type { ServedChat, ServeOptions } from './chat-service.ts'
import { telegramApi } from './find-bot.ts'
import type { PlatformGateway } from './gateway-side.ts'
import type { TelegramWebhook } from './telegram-webhook.ts'
import { underLease } from './under-lease.ts'

export interface TelegramOptions {
  readonly gateway: PlatformGateway
  readonly config: Config
  readonly token: Secret
  readonly telegramWebhook: TelegramWebhook
  readonly log: Log
  /** Called each time this process starts to receive messages. */
  readonly onReceiving?: (me: BotIdentity) => void
  /** Called with the reason, in plain words, when messages cannot be received; once per kind of problem. */
  readonly onTrouble?: (why: string) => void
}

/** Longer than any Telegram call takes, except a long poll. */
const callTimeoutMs = 20_000
/** Longer than the 30 s that a poll may wait. */
const pollTimeoutMs = 45_000
const standby = 'another Countersign receives messages; this one stands by.'

/** Serves Telegram with the configured token and prints its status. */
export function startTelegram({ printLine, ...options }: ServeOptions): Promise<ServedChat> {
  const { secrets, telegram } = options.config
  if (secrets.telegramBotToken === undefined) throw new Error('there is no token for Telegram')
  const how = telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return serveTelegram({
    ...options,
    token: secrets.telegramBotToken,
    onReceiving: ({ username: name }) =>
      printLine(`@${name} is ready (${how}). Write to https://t.me/${name}. Ctrl-C ends.`),
    onTrouble: printLine,
  })
}

/** Serves Telegram: sends cards and answers; receives updates by long polling or, with `webhook_url`, as calls. */
export async function serveTelegram(options: TelegramOptions): Promise<ServedChat> {
  const { gateway, log } = options
  const resources = new AsyncDisposableStack()
  const ending = new AbortController()
  const api = telegramApi(options.config, options.token, callTimeoutMs)
  const apiRoot = options.config.endpoints.telegramApiRoot
  const files = { api, token: options.token.reveal(), apiRoot }
  const { messages } = gateway.ctx
  const lock = createTransientMessageLock(gateway.ctx, 'telegram')
  const platform = resources.use(createTelegramPlatform({ api, messages, files, lock, log }))
  const { intake } = await gateway.serve(platform)
  const received = receive(options, intake, ending.signal)
  // The caller handles a rejection; an unhandled one must not end the process.
  received.catch(() => undefined)
  resources.defer(async () => {
    ending.abort(new Error('the gateway was stopped'))
    await received.catch(() => undefined)
  })
  return { received, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function receive(
  options: TelegramOptions,
  intake: Intake,
  signal: AbortSignal,
): Promise<void> {
  const { gateway, config, token, telegramWebhook, log, onReceiving, onTrouble } = options
  const { db } = gateway.ctx
  const api = telegramApi(config, token, pollTimeoutMs)
  const onFailure = createFailureReporter((why) => onTrouble?.(why))
  try {
    const me = await connect(api, { signal, log, onFailure })
    const onStandby = () => onTrouble?.(standby)
    const told = { onReceiving: () => onReceiving?.(me), onStandby, onFailure }
    await Promise.all([
      registerCommands(api, listCommands(gateway.ctx.messages), { signal, log }),
      receiveTelegram({
        api,
        me,
        db,
        config,
        token,
        telegramWebhook,
        intake,
        messages: gateway.ctx.messages,
        log,
        signal,
        ...told,
      }),
    ])
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

interface ReceiveOptions {
  readonly api: Api
  readonly me: BotIdentity
  readonly db: Db
  readonly config: Config
  readonly token: Secret
  readonly telegramWebhook: TelegramWebhook
  readonly intake: Intake
  readonly messages: Messages
  readonly log: Log
  /** Ends receiving. */
  readonly signal: AbortSignal
  /** Called each time this process starts to receive updates. */
  readonly onReceiving: () => void
  /** Called when another gateway receives the updates instead. */
  readonly onStandby: () => void
  readonly onFailure: OnFailure
}

/** TG-01: receives updates until aborted, as one of several gateways of which one polls, or by webhook. */
function receiveTelegram(options: ReceiveOptions): Promise<void> {
  const url = options.config.telegram.webhookUrl
  return url === undefined ? receiveByPolling(options) : receiveByWebhook(options, url)
}

function receiveByPolling(options: ReceiveOptions): Promise<void> {
  const { db, log, signal, onStandby } = options
  const lease = { db, name: 'poll telegram', owner: newId(), log, signal, onStandby }
  return underLease(lease, (held) => poll({ ...options, signal: held }))
}

async function receiveByWebhook(options: ReceiveOptions, url: string): Promise<void> {
  const { token, telegramWebhook, signal } = options
  const secret = webhookSecret(token.reveal())
  const webhook = createWebhook({ ...options, url, secret })
  using _open = telegramWebhook.open(webhook.handle)
  await webhook.register(signal)
  options.onReceiving()
  await untilAborted(signal)
}
