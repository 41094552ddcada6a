import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Api } from 'grammy'
import type { Intake } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import type { ApiSignal } from '../api.ts'
import type { BotIdentity } from '../connect.ts'
import type { OnFailure } from './api-trouble.ts'
import { createUpdateTaker } from './take-update.ts'
import { toIncoming } from './to-incoming.ts'
import { untilAnswered } from './until-answered.ts'
import { WantedUpdates } from './wanted-updates.ts'

export interface WebhookOptions {
  readonly api: Api
  readonly intake: Intake
  readonly me: BotIdentity
  readonly log: Log
  /** The public address that Telegram calls, over HTTPS. */
  readonly url: string
  readonly secret: string
  readonly onFailure?: OnFailure | undefined
}

export interface Webhook {
  /** Resolves when Telegram was told the address. Rejects with `TokenRefused`, or when the signal ends it. */
  register(signal: AbortSignal): Promise<void>
  /**
   * Takes one update; `secretHeader` is `X-Telegram-Bot-Api-Secret-Token`, `read` answers the parsed JSON, undefined when
   * it is none, and is asked only once the secret is right. 200: Telegram may forget it. 503: it is not stored, Telegram brings it again.
   */
  handle(
    secretHeader: string | undefined,
    read: () => Promise<unknown>,
  ): Promise<{ readonly status: 200 | 400 | 401 | 503 }>
}

/** How many updates Telegram may bring at once; those of one chat it brings one after the other. */
const maxConnections = 20

export function createWebhook(options: WebhookOptions): Webhook {
  const { api, me, log, url, secret, onFailure } = options
  const taker = createUpdateTaker(options)
  const registration = {
    secret_token: secret,
    max_connections: maxConnections,
  }
  return {
    register: async (signal) => {
      const what = 'telegram: registering the webhook'
      const wanted = new WantedUpdates()
      const set = (ending: ApiSignal) =>
        wanted.ask((allowed_updates) =>
          api.setWebhook(url, { ...registration, allowed_updates }, ending),
        )
      await untilAnswered(set, {
        log,
        what,
        signal,
        onFailure,
      })
    },
    handle: async (secretHeader, read) => {
      if (!isSame(secretHeader ?? '', secret)) return { status: 401 }
      const body = await read()
      if (body === undefined) return { status: 400 }
      const taken = await taker.take(toIncoming(body, me))
      if (taken.kind === 'done') return { status: 200 }
      log.warn({ why: taken.why }, 'telegram: an update was not stored; it comes again')
      return { status: 503 }
    },
  }
}

/** The same for every gateway of a bot, and kept nowhere: it follows from the token, which does not follow from it. */
export function webhookSecret(token: string): string {
  return createHmac('sha256', token).update('countersign telegram webhook').digest('hex')
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
