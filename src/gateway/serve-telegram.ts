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
import type { Intake } from '../ports/chat.ts'
import { untilAborted } from '../util/abort.ts'
import type { Log } from '../util/log.ts'
import { newId } from '../util/new-id.ts'
import type { ServedChat, ServeOptions } from './chat-service.ts'
import type { GatewaySide } from './gateway-side.ts'
import { telegramApi } from './telegram-api.ts'
import type { TelegramDoor } from './telegram-door.ts'
import { underLease } from './under-lease.ts'

export interface TelegramOptions {
  readonly gateway: GatewaySide
  readonly config: Config
  readonly token: Secret
  readonly door: TelegramDoor
  readonly log: Log
  /** Told each time that messages begin to come here. */
  readonly onReceiving?: (me: BotIdentity) => void
  /** Told in plain words why messages do not come, once a kind of trouble. */
  readonly onTrouble?: (why: string) => void
}

/** Longer than Telegram takes for anything but a long poll. */
const callTimeoutMs = 20_000
/** Beyond the 30 s that a poll may wait. */
const pollTimeoutMs = 45_000
const standby = 'another Countersign receives messages; this one stands by.'

/** Serves Telegram with the configured token, and says how it goes. */
export function startTelegram({ say, ...options }: ServeOptions): Promise<ServedChat> {
  const { secrets, telegram } = options.config
  if (secrets.telegramBotToken === undefined) throw new Error('there is no token for Telegram')
  const how = telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return serveTelegram({
    ...options,
    token: secrets.telegramBotToken,
    onReceiving: ({ username: name }) =>
      say(`@${name} is ready (${how}). Write to https://t.me/${name}. Ctrl-C ends.`),
    onTrouble: say,
  })
}

/** Serves Telegram: cards and answers go out, updates come in by long polling or, with `webhook_url`, by calls to us. */
export async function serveTelegram(options: TelegramOptions): Promise<ServedChat> {
  const { gateway, log } = options
  const resources = new AsyncDisposableStack()
  const ending = new AbortController()
  const api = telegramApi(options.config, options.token, callTimeoutMs)
  const apiRoot = options.config.endpoints.telegramApiRoot
  const files = { api, token: options.token.reveal(), apiRoot }
  const lock = createTransientMessageLock(gateway.ctx, 'telegram')
  const platform = resources.use(createTelegramPlatform({ api, files, lock, log }))
  const { intake } = await gateway.serve(platform)
  const received = receive(options, intake, ending.signal)
  // Whoever serves looks at it; without a look it must not end the process.
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
  const { gateway, config, token, door, log, onReceiving, onTrouble } = options
  const { db } = gateway.ctx
  const api = telegramApi(config, token, pollTimeoutMs)
  const onFailure = createFailureReporter((why) => onTrouble?.(why))
  try {
    const me = await connect(api, { signal, log, onFailure })
    const onStandby = () => onTrouble?.(standby)
    const told = { onReceiving: () => onReceiving?.(me), onStandby, onFailure }
    await Promise.all([
      registerCommands(api, listCommands(), { signal, log }),
      receiveTelegram({ api, me, db, config, token, door, intake, log, signal, ...told }),
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
  readonly door: TelegramDoor
  readonly intake: Intake
  readonly log: Log
  /** Ends it. */
  readonly signal: AbortSignal
  /** Told each time that updates begin to come here. */
  readonly onReceiving: () => void
  /** Told when another gateway receives them instead. */
  readonly onStandby: () => void
  readonly onFailure: OnFailure
}

/** TG-01: takes in updates until told to end, as one poller of any number of gateways, or where Telegram calls us. */
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
  const { token, door, signal } = options
  const secret = webhookSecret(token.reveal())
  const webhook = createWebhook({ ...options, url, secret })
  using _open = door.open(webhook.handle)
  await webhook.register(signal)
  options.onReceiving()
  await untilAborted(signal)
}
