import type { Config } from '../../config/config.ts'
import { connect } from '../../edges/chat/telegram/connect.ts'
import { TokenRefused } from '../../edges/chat/telegram/incoming/api-failure.ts'
import { silentLog } from '../../util/log.ts'
import { telegramApi } from '../telegram-api.ts'
import { type Finding, fail, ok } from './finding.ts'

const patienceMs = 8_000

/** Asks Telegram which bot the token belongs to; no finding where there is no token. */
export async function checkTelegram(config: Config): Promise<readonly Finding[]> {
  const token = config.secrets.telegramBotToken
  if (token === undefined) return []
  const api = telegramApi(config, token, patienceMs)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const me = await connect(api, { signal, log: silentLog })
    return [ok('telegram', `the token is that of @${me.username}`)]
  } catch (error) {
    return [whyNot(error)]
  }
}

function whyNot(error: unknown): Finding {
  if (error instanceof TokenRefused) {
    const mend = 'ask @BotFather for the token of the bot and set TELEGRAM_BOT_TOKEN'
    return fail('telegram', 'the bot token was refused', mend)
  }
  const mend = 'check the network, and TELEGRAM_API_ROOT where one is set'
  return fail('telegram', `no answer within ${patienceMs / 1000} s`, mend)
}
