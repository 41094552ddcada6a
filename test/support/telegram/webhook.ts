import { setTimeout as delay } from 'node:timers/promises'
import type { Update } from 'grammy/types'
import type { UpdateQueue } from './update-queue.ts'

export interface WebhookSettings {
  readonly url: string
  readonly secretToken: string
  readonly maxConnections: number
}

/** Posts a bot's updates to its webhook, one after the other; what it did not take comes again. */
export class Webhook {
  /** Telegram takes one setWebhook a second. */
  nextSetAt = 0
  #settings: WebhookSettings | undefined
  #stop: AbortController | undefined
  #lastError: { readonly at: number; readonly message: string } | undefined
  readonly #queue: UpdateQueue
  readonly #options: {
    readonly retryMs: number
    readonly now: () => number
    /** A call that came as the answer to an update. */
    readonly onCall: (call: Record<string, unknown>) => Promise<void>
  }

  constructor(
    queue: UpdateQueue,
    options: {
      readonly retryMs: number
      readonly now: () => number
      readonly onCall: (call: Record<string, unknown>) => Promise<void>
    },
  ) {
    this.#queue = queue
    this.#options = options
  }

  get settings(): WebhookSettings | undefined {
    return this.#settings
  }

  get lastError(): { readonly at: number; readonly message: string } | undefined {
    return this.#lastError
  }

  set(settings: WebhookSettings | undefined): void {
    this.#stop?.abort()
    this.#settings = settings
    if (settings === undefined) return
    const stop = new AbortController()
    this.#stop = stop
    void this.#deliver(settings, stop.signal)
  }

  async #deliver(settings: WebhookSettings, signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const update = this.#queue.pending[0]
      if (update === undefined) {
        await this.#nextPush(signal)
        continue
      }
      const outcome = await this.#post(update, settings, signal)
      if (signal.aborted) return
      if (outcome.taken) {
        failures = 0
        this.#queue.confirmBelow(update.update_id + 1)
        continue
      }
      this.#lastError = { at: this.#options.now(), message: outcome.why }
      const pauseMs = outcome.retryAfterMs ?? this.#options.retryMs * 2 ** Math.min(failures++, 4)
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #nextPush(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopListening = this.#queue.onPush(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (!signal.aborted) await promise
    stopListening()
  }

  async #post(
    update: Update,
    settings: WebhookSettings,
    signal: AbortSignal,
  ): Promise<
    | { readonly taken: true }
    | { readonly taken: false; readonly why: string; readonly retryAfterMs?: number }
  > {
    try {
      const response = await fetch(settings.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settings.secretToken !== '' && {
            'x-telegram-bot-api-secret-token': settings.secretToken,
          }),
        },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      })
      const text = await response.text()
      if (response.ok) {
        await this.#callIn(text)
        return { taken: true }
      }
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
      return {
        taken: false,
        why: `Wrong response from the webhook: ${response.status} ${response.statusText}`,
        ...(retryAfter > 0 && { retryAfterMs: retryAfter * 1000 }),
      }
    } catch {
      return { taken: false, why: 'Webhook connection closed' }
    }
  }

  async #callIn(text: string): Promise<void> {
    let call: unknown
    try {
      call = JSON.parse(text)
    } catch {
      return
    }
    if (typeof call === 'object' && call !== null && 'method' in call) {
      await this.#options.onCall(call as Record<string, unknown>)
    }
  }
}
