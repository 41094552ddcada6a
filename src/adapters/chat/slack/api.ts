import type { webApi } from '@slack/bolt'
import { ObedientClient } from './obedient-client.ts'
import { silentLogger } from './silent-logger.ts'

export interface ApiOptions {
  readonly token: string
  /** Slack's own when not given; with or without a slash at its end. */
  readonly apiUrl?: string | undefined
  /** How long a call may take. */
  readonly timeoutMs: number
}

/** What a client of the Web API is made with: each call is tried once, as the outbox is the only one that tries again. */
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

/** A client of the Web API, which obeys requests to wait. */
export function createApi({ token, ...options }: ApiOptions): webApi.WebClient {
  return new ObedientClient(token, clientOptions(options))
}
