import type { Api } from 'grammy'
import { createApi } from '../adapters/chat/telegram/api.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../config/secrets.ts'

/** A client of the Bot API where the configuration says it is. `timeoutMs` is for each call. */
export function telegramApi(config: Config, token: Secret, timeoutMs: number): Api {
  const { telegramApiRoot } = config.endpoints
  const root = telegramApiRoot === undefined ? {} : { apiRoot: telegramApiRoot }
  return createApi({ token: token.reveal(), timeoutMs, ...root })
}
