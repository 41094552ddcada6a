import { connect } from '../adapters/chat/telegram/connect.ts'
import { TokenRefused } from '../adapters/chat/telegram/incoming/api-failure.ts'
import type { Config } from '../config/config.ts'
import { silentLog } from '../util/log.ts'
import { telegramApi } from './telegram-api.ts'

/** Which Telegram bot is configured here. */
export type BotHere =
  | { readonly kind: 'named'; readonly username: string }
  /** Telegram did not say in time, or only Slack is served. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no_token' }

const patienceMs = 3_000

/** Asks Telegram which bot the token belongs to, for at most 3 s; rejects with the signal's reason and nothing else. */
export async function findBot(config: Config, signal: AbortSignal): Promise<BotHere> {
  const token = config.secrets.telegramBotToken
  if (token === undefined)
    return { kind: config.secrets.slackBotToken === undefined ? 'no_token' : 'silent' }
  const api = telegramApi(config, token, patienceMs)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    const { username } = await connect(api, { signal: inTime, log: silentLog })
    return { kind: 'named', username }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: error instanceof TokenRefused ? 'refused' : 'silent' }
  }
}
