import type { Api } from 'grammy'
import { type BotIdentity, connect, NoBotApi } from '../../adapters/chat/telegram/connect.ts'
import { type ApiFailure, TokenRefused } from '../../adapters/chat/telegram/incoming/api-failure.ts'
import { readWebhookInfo } from '../../adapters/chat/telegram/incoming/webhook-info.ts'
import type { Config } from '../../config/config.ts'
import { telegramApi } from '../../gateway/find-bot.ts'
import { silentLog } from '../../util/log.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const patienceMs = 8_000
const what = 'telegram'

/** Asks Telegram which bot the token belongs to and which messages it gets; no finding without a token. */
export async function checkTelegram(config: Config): Promise<readonly Finding[]> {
  const token = config.secrets.telegramBotToken
  if (token === undefined) return []
  const api = telegramApi(config, token, patienceMs)
  let last: ApiFailure | undefined
  const onFailure = (failure: ApiFailure): void => {
    last = failure
  }
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const me = await connect(api, { signal, log: silentLog, onFailure })
    const known = ok(what, `the token is that of @${me.username}`)
    return [known, groupsOf(me), ...(await checkWebhook(api, config))]
  } catch (error) {
    return [whyNot(error, last)]
  }
}

function groupsOf({ canJoinGroups, readsWholeGroups }: BotIdentity): Finding {
  if (!canJoinGroups) return ok(what, 'it cannot be added to groups')
  return readsWholeGroups
    ? ok(
        what,
        'privacy mode is off: in groups it is brought every message, and acts on those to it',
      )
    : ok(what, 'privacy mode is on: in groups it is brought what is addressed to it, and no more')
}

async function checkWebhook(api: Api, { telegram }: Config): Promise<readonly Finding[]> {
  const info = await readWebhookInfo(api, AbortSignal.timeout(patienceMs))
  if (info === undefined) return []
  const { host, lastError } = info
  const findings: Finding[] = []
  if (host !== undefined && telegram.webhookUrl === undefined) {
    const mend = 'end what serves it, or set [telegram] webhook_url; start takes the webhook away'
    findings.push(warn(what, `a webhook at ${host} is set, but long polling is configured`, mend))
  }
  if (lastError !== undefined) {
    const mend = 'see that the address of the webhook reaches Countersign'
    findings.push(warn(what, `its last call of the webhook failed: ${lastError}`, mend))
  }
  return findings
}

function whyNot(error: unknown, last: ApiFailure | undefined): Finding {
  if (error instanceof TokenRefused) {
    const mend = 'ask @BotFather for the token of the bot and set TELEGRAM_BOT_TOKEN'
    return fail(what, 'the bot token was refused', mend)
  }
  if (error instanceof NoBotApi || (last?.kind === 'unreachable' && last.isForeign)) {
    const mend = 'check TELEGRAM_API_ROOT where one is set, and proxies in between'
    return fail(what, 'what answers is no Bot API', mend)
  }
  const mend = 'check the network, and TELEGRAM_API_ROOT where one is set'
  const detail = last === undefined ? '' : ` (${wordsOf(last)})`
  return fail(what, `no answer within ${patienceMs / 1000} s${detail}`, mend)
}

function wordsOf(failure: ApiFailure): string {
  return failure.kind === 'unreachable' ? (failure.detail ?? failure.why) : failure.why
}
