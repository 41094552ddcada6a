import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import { type BotIdentity, NoBotApi } from '../edges/chat/telegram/connect.ts'
import { TokenRefused } from '../edges/chat/telegram/incoming/api-failure.ts'
import { CommandError } from './command-error.ts'
import type { GatewaySide } from './gateway-side.ts'
import { greetingLines } from './greeting.ts'
import { observe } from './observe.ts'
import { openProduct } from './open-product.ts'
import { type ProcessOptions, say } from './process-options.ts'
import { checkDatabase, checkQueue } from './ready-checks.ts'
import { serveHttp } from './serve-http.ts'
import { serveTelegram } from './serve-telegram.ts'
import { createTelegramDoor, type TelegramDoor } from './telegram-door.ts'
import { untilAborted } from './until-aborted.ts'
import { watchQueues, watchStanding } from './watch-standing.ts'
import { whoMayTalk } from './who-may-talk.ts'

export interface ServiceOptions extends ProcessOptions {
  readonly telegramToken: Secret
}

/** The product as a service of the chat platforms that a token was given for, until it is asked to end. */
export async function runService(options: ServiceOptions): Promise<number> {
  const { config, environment, log } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await openProduct({ config, environment, log, observer })
  say(options, ...(await greetingLines(product, config, 'elsewhere')))
  const door = createTelegramDoor()
  const { queue } = product
  const { db } = product.kernel
  watchStanding(metrics, db)
  watchQueues(metrics, queue, db, config.worker.name)
  const checks = { database: checkDatabase(db), queue: checkQueue(queue) }
  await using _http = await serveHttp({ config, log, checks, metrics, routes: [door.route] })
  await receiveUntilEnd({ ...options, gateway: product, door })
  return 0
}

/** Serves Telegram until the process is asked to end. Throws a CommandError when Telegram refuses the token. */
export async function receiveUntilEnd(
  options: ServiceOptions & { readonly gateway: GatewaySide; readonly door: TelegramDoor },
): Promise<void> {
  const { config, log, signal, gateway, door, telegramToken: token } = options
  say(options, 'Telegram: connecting …')
  await using telegram = await serveTelegram({
    gateway,
    door,
    config,
    token,
    log,
    onReceiving: (me) => say(options, readyLine(me, config)),
    onTrouble: (why) => say(options, `Telegram: ${why}`),
  })
  say(options, ...(await whoMayTalk(gateway.kernel.db, config)))
  if (signal.aborted) return
  await Promise.race([untilAborted(signal), telegram.received.catch(refuse)])
}

function readyLine({ username }: BotIdentity, { telegram }: Config): string {
  const how = telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return `Telegram: @${username} is ready (${how}). Write to https://t.me/${username}. Ctrl-C ends.`
}

/** What whoever started it can mend, in words; anything else is a bug, or explained where all commands are. */
function refuse(error: unknown): never {
  if (error instanceof TokenRefused || error instanceof NoBotApi) {
    throw new CommandError(error.message, { cause: error })
  }
  throw error
}
