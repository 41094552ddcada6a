import type { Api } from 'grammy'
import { createApi } from '../adapters/chat/telegram/api.ts'
import { connect } from '../adapters/chat/telegram/connect.ts'
import { TokenRefused } from '../adapters/chat/telegram/incoming/api-failure.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'
import { silentLog } from '../util/log.ts'

/** The configured Telegram bot. */
export type ConfiguredBot =
  | { readonly kind: 'named'; readonly username: string }
  /** Telegram did not answer in time, or only Slack is served. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no_token' }

const patienceMs = 3_000

/** Asks Telegram for the token's bot, for at most 3 s; rejects only with the signal's reason. */
export async function findBot(config: Config, signal: AbortSignal): Promise<ConfiguredBot> {
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

/** Creates a Bot API client for the configured server. `timeoutMs` applies to each call. */
export function telegramApi(config: Config, token: Secret, timeoutMs: number): Api {
  const { telegramApiRoot } = config.endpoints
  const root = telegramApiRoot === undefined ? {} : { apiRoot: telegramApiRoot }
  return createApi({ token: token.reveal(), timeoutMs, ...root })
}
