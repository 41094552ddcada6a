import type { Api } from 'grammy'
import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import type { Db } from '../db/schema.ts'
import type { BotIdentity } from '../edges/chat/telegram/connect.ts'
import { poll } from '../edges/chat/telegram/incoming/poll.ts'
import { createWebhook, webhookSecret } from '../edges/chat/telegram/incoming/webhook.ts'
import { createHttpServer } from '../edges/http/create-http-server.ts'
import { telegramRoute } from '../edges/http/telegram-route.ts'
import type { Intake } from '../ports/chat.ts'
import type { Log } from '../util/log.ts'
import { newId } from '../util/new-id.ts'
import { underLease } from './under-lease.ts'
import { untilAborted } from './until-aborted.ts'

export interface ReceiveOptions {
  readonly api: Api
  readonly me: BotIdentity
  readonly db: Db
  readonly config: Config
  readonly token: Secret
  readonly intake: Intake
  readonly log: Log
  /** Ends it. */
  readonly signal: AbortSignal
}

/** TG-01: takes in updates until told to end, as one poller of any number of gateways, or where Telegram calls us. */
export function receiveTelegram(options: ReceiveOptions): Promise<void> {
  const url = options.config.telegram.webhookUrl
  return url === undefined ? receiveByPolling(options) : receiveByWebhook(options, url)
}

function receiveByPolling({ api, me, db, intake, log, signal }: ReceiveOptions): Promise<void> {
  const lease = { db, name: 'poll telegram', owner: newId(), log, signal }
  return underLease(lease, (held) => poll({ api, intake, me, log, signal: held }))
}

async function receiveByWebhook(options: ReceiveOptions, url: string): Promise<void> {
  const { api, me, config, token, intake, log, signal } = options
  const secret = webhookSecret(token.reveal())
  const webhook = createWebhook({ api, intake, me, log, url, secret })
  await using _server = await createHttpServer({
    listen: config.http.listen,
    routes: [telegramRoute(webhook.handle)],
    log,
  })
  await webhook.register(signal)
  await untilAborted(signal)
}
