import type { Api } from 'grammy'
import type { BotIdentity } from '../adapters/chat/telegram/connect.ts'
import type { OnFailure } from '../adapters/chat/telegram/incoming/api-trouble.ts'
import { poll } from '../adapters/chat/telegram/incoming/poll.ts'
import { createWebhook, webhookSecret } from '../adapters/chat/telegram/incoming/webhook.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import type { Db } from '../db/schema.ts'
import type { Intake } from '../ports/chat.ts'
import type { Log } from '../util/log.ts'
import { newId } from '../util/new-id.ts'
import { untilAborted } from '../util/until-aborted.ts'
import type { TelegramDoor } from './telegram-door.ts'
import { underLease } from './under-lease.ts'

export interface ReceiveOptions {
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
export function receiveTelegram(options: ReceiveOptions): Promise<void> {
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
