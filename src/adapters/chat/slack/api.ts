import type { webApi } from '@slack/bolt'
import { RateLimitedClient } from './rate-limited-client.ts'
import { silentLogger } from './silent-logger.ts'

export interface ApiOptions {
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
