import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Api } from 'grammy'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Intake } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import type { ApiSignal } from '../api.ts'
import type { BotIdentity } from '../connect.ts'
import type { OnFailure } from './api-failure.ts'
import { WantedUpdates } from './poll.ts'
import { createUpdateTaker } from './take-update.ts'
import { toIncoming } from './to-incoming.ts'
import { retryUntilAnswered } from './until-answered.ts'

export interface WebhookOptions {
  readonly api: Api
  readonly intake: Intake
  readonly messages: Messages
  readonly me: BotIdentity
  readonly log: Log
  /** Public HTTPS URL that Telegram calls. */
  readonly url: string
  readonly secret: string
  readonly onFailure?: OnFailure | undefined
}

export interface Webhook {
  /** Resolves when Telegram has accepted the URL. Rejects with `TokenRefused`, or when the signal aborts. */
  register(signal: AbortSignal): Promise<void>
  /**
   * Handles one update. `secretHeader` is `X-Telegram-Bot-Api-Secret-Token`; `read` returns the parsed JSON, undefined if
   * invalid, and is called only if the secret is right. 200: Telegram may forget the update. 503: it was not stored, and
   * Telegram will deliver it again.
   */
  handle(
    secretHeader: string | undefined,
    read: () => Promise<unknown>,
  ): Promise<{ readonly status: 200 | 400 | 401 | 503 }>
}

/** Number of updates that Telegram may deliver in parallel; those of one chat arrive one after the other. */
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
      const what = 'telegram: setWebhook'
      const wanted = new WantedUpdates()
      const set = (ending: ApiSignal) =>
        wanted.request((allowed_updates) =>
          api.setWebhook(url, { ...registration, allowed_updates }, ending),
        )
      await retryUntilAnswered(set, {
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
      log.warn({ why: taken.why }, 'telegram: update not stored, Telegram will resend it')
      return { status: 503 }
    },
  }
}

/** The webhook's secret, derived from the token: the same in every gateway, and stored nowhere. */
export function webhookSecret(token: string): string {
  return createHmac('sha256', token).update('countersign telegram webhook').digest('hex')
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
