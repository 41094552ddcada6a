import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { Secret } from '../config/secrets.ts'
import type { BotIdentity } from '../edges/chat/telegram/connect.ts'
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
  say(await greetingLines(product, config))
  say(['Telegram: connecting …'])
  await using telegram = await serveTelegram({
    product,
    config,
    token: options.telegramToken,
    log,
    onConnected: (me) => say(connectedLines(me, config)),
  })
  say(await whoMayTalk(product.kernel.db, config))
  if (signal.aborted) return 0
  await Promise.race([untilAborted(signal), telegram.received.catch(refused)])
  return 0
}

function connectedLines(me: BotIdentity, config: Config): readonly string[] {
  const how = config.telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return [`Telegram: serving as @${me.username} (${how}). Ctrl-C ends.`]
}

function refused(error: unknown): never {
  throw new CommandError(error instanceof Error ? error.message : String(error))
}
