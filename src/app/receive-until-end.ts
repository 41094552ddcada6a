import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import { type BotIdentity, NoBotApi } from '../edges/chat/telegram/connect.ts'
import { TokenRefused } from '../edges/chat/telegram/incoming/api-failure.ts'
import { CommandError } from './command-error.ts'
import type { GatewaySide } from './gateway-side.ts'
import { type ProcessOptions, say } from './process-options.ts'
import { serveTelegram } from './serve-telegram.ts'
import type { TelegramDoor } from './telegram-door.ts'
import { untilAborted } from './until-aborted.ts'
import { whoMayTalk } from './who-may-talk.ts'

export interface ServiceOptions extends ProcessOptions {
  readonly telegramToken: Secret
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
