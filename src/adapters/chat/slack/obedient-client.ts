import { webApi } from '@slack/bolt'
import { dropOldest } from '../../../util/drop-oldest.ts'

/** Slack asked to wait with a method: in one channel (`chat.postMessage`), or in the whole workspace. */
export class SlackBusy extends webApi.WebAPIRateLimitedError {
  readonly isOfMethod: boolean

  constructor(seconds: number, isOfMethod: boolean) {
    super(seconds)
    this.isOfMethod = isOfMethod
  }
}

/** Limited a channel; all others are limited a method and workspace (https://docs.slack.dev/apis/web-api/rate-limits). */
const ofChannel = 'chat.postMessage'
const remembered = 5_000

/** A client that makes no call before the time that Slack named for calls like it: it rejects as Slack would. */
export class ObedientClient extends webApi.WebClient {
  /** By method and channel, in milliseconds of `performance.now()`. */
  readonly #closedUntil = new Map<string, number>()

  override async apiCall(
    method: string,
    options: Record<string, unknown> = {},
  ): Promise<webApi.WebAPICallResult> {
    const isOfMethod = method !== ofChannel
    const key = isOfMethod ? method : `${method} ${String(options['channel'])}`
    const leftMs = (this.#closedUntil.get(key) ?? 0) - performance.now()
    if (leftMs > 0) throw new SlackBusy(leftMs / 1_000, isOfMethod)
    try {
      return await super.apiCall(method, options)
    } catch (error) {
      if (!(error instanceof webApi.WebAPIRateLimitedError)) throw error
      throw this.#close(key, error, isOfMethod)
    }
  }

  #close(key: string, error: webApi.WebAPIRateLimitedError, isOfMethod: boolean): SlackBusy {
    const { retryAfter } = error
    this.#closedUntil.delete(key)
    this.#closedUntil.set(key, performance.now() + retryAfter * 1_000)
    dropOldest(this.#closedUntil, remembered)
    return new SlackBusy(retryAfter, isOfMethod)
  }
}
