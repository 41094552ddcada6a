import { type Logger, LogLevel, webApi } from '@slack/bolt'
import { dropOldest } from '../../../util/drop-oldest.ts'

/** Discards the logs of Slack's libraries, which may contain user text; results of calls are logged here instead. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
}

/** Slack asked to wait: in one channel (`chat.postMessage`), or with a method in the whole workspace. */
export class SlackBusy extends webApi.WebAPIRateLimitedError {
  readonly isOfMethod: boolean

  constructor(seconds: number, isOfMethod: boolean) {
    super(seconds)
    this.isOfMethod = isOfMethod
  }
}

/** The only method limited per channel; others are limited per workspace (https://docs.slack.dev/apis/web-api/rate-limits). */
const channelLimitedMethod = 'chat.postMessage'

const maxKeys = 5_000

/** A client that makes no call before the time Slack named for such calls; it rejects as Slack would. */
class RateLimitedClient extends webApi.WebClient {
  /** By method and channel, in milliseconds of `performance.now()`. */
  readonly #blockedUntil = new Map<string, number>()

  override async apiCall(
    method: string,
    options: Record<string, unknown> = {},
  ): Promise<webApi.WebAPICallResult> {
    const isOfMethod = method !== channelLimitedMethod
    const key = isOfMethod ? method : `${method} ${String(options['channel'])}`
    const leftMs = (this.#blockedUntil.get(key) ?? 0) - performance.now()
    if (leftMs > 0) throw new SlackBusy(leftMs / 1_000, isOfMethod)
    try {
      return await super.apiCall(method, options)
    } catch (error) {
      if (!(error instanceof webApi.WebAPIRateLimitedError)) throw error
      throw this.#block(key, error, isOfMethod)
    }
  }

  #block(key: string, error: webApi.WebAPIRateLimitedError, isOfMethod: boolean): SlackBusy {
    const { retryAfter } = error
    this.#blockedUntil.delete(key)
    this.#blockedUntil.set(key, performance.now() + retryAfter * 1_000)
    dropOldest(this.#blockedUntil, maxKeys)
    return new SlackBusy(retryAfter, isOfMethod)
  }
}

interface ApiOptions {
  readonly token: string
  /** Slack's own by default; a trailing slash is optional. */
  readonly apiUrl?: string | undefined
  /** Time-out of a call. */
  readonly timeoutMs: number
}

/** Options of Web API clients. Each call is tried once, as only the outbox retries. */
export function clientOptions({ apiUrl, timeoutMs }: Omit<ApiOptions, 'token'>) {
  const where = apiUrl === undefined ? {} : { slackApiUrl: `${apiUrl.replace(/\/+$/, '')}/` }
  return {
    ...where,
    timeout: timeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: silentLogger,
  }
}

/** Creates a client of the Web API that respects requests to wait. */
export function createApi({ token, ...options }: ApiOptions): webApi.WebClient {
  return new RateLimitedClient(token, clientOptions(options))
}
