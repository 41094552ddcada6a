import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { Secret } from '../config/secrets.ts'
import { type BotIdentity, NoBotApi } from '../edges/chat/telegram/connect.ts'
import { TokenRefused } from '../edges/chat/telegram/incoming/api-failure.ts'
import type { Log } from '../util/log.ts'
import { CommandError } from './command-error.ts'
import { greetingLines } from './greeting.ts'
import { openProduct } from './open-product.ts'
import { serveTelegram } from './serve-telegram.ts'
import { untilAborted } from './until-aborted.ts'
import { whoMayTalk } from './who-may-talk.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  readonly output: NodeJS.WritableStream
  readonly telegramToken: Secret
  /** Fires when the process is asked to end. */
  readonly signal: AbortSignal
}

/** The product as a service of the chat platforms that a token was given for, until it is asked to end. */
export async function runService(options: ServiceOptions): Promise<number> {
  const { config, environment, log, output, signal } = options
  await using product = await openProduct({ config, environment, log })
  const say = (lines: readonly string[]) => output.write(`${lines.join('\n')}\n`)
  say(await greetingLines(product, config, 'elsewhere'))
  say(['Telegram: connecting …'])
  await using telegram = await serveTelegram({
    product,
    config,
    token: options.telegramToken,
    log,
    onReceiving: (me) => say([readyLine(me, config)]),
    onTrouble: (why) => say([`Telegram: ${why}`]),
  })
  say(await whoMayTalk(product.kernel.db, config))
  if (signal.aborted) return 0
  await Promise.race([
    untilAborted(signal),
    telegram.received.catch((error: unknown) => refuse(error, config)),
  ])
  return 0
}

function readyLine({ username }: BotIdentity, { telegram }: Config): string {
  const how = telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return `Telegram: @${username} is ready (${how}). Write to https://t.me/${username}. Ctrl-C ends.`
}

/** What whoever started it can mend, in words; anything else is a bug, or explained where all commands are. */
function refuse(error: unknown, { http }: Config): never {
  if (error instanceof TokenRefused || error instanceof NoBotApi) {
    throw new CommandError(error.message, { cause: error })
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    throw new CommandError(`the address ${http.listen} of [http] listen is taken`, { cause: error })
  }
  throw error
}
