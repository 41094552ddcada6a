import type { Log } from '../../../../util/log.ts'
import { createBackoff } from '../../incoming/backoff.ts'
import type { ApiSignal } from '../api.ts'
import { withDeadline } from '../api.ts'
import type { OnFailure } from './api-failure.ts'
import { TokenRefused, toApiFailure } from './api-failure.ts'

const deadlineMs = 30_000

/** Repeats a call to the Bot API until it is answered. Throws `TokenRefused`, or the signal's reason. */
export async function retryUntilAnswered<T>(
  attempt: (signal: ApiSignal) => Promise<T>,
  options: {
    readonly log: Log
    readonly what: string
    readonly signal: AbortSignal
    readonly onFailure?: OnFailure | undefined
  },
): Promise<T> {
  const backoff = createBackoff(options)
  for (;;) {
    options.signal.throwIfAborted()
    try {
      const answer = await attempt(withDeadline(deadlineMs, options.signal))
      backoff.succeeded()
      return answer
    } catch (error) {
      options.signal.throwIfAborted()
      const failure = toApiFailure(error)
      // biome-ignore lint/style/useErrorCause: the cause holds the address, and with it the token
      if (failure.kind === 'token_refused') throw new TokenRefused()
      options.onFailure?.(failure)
      await backoff.wait(failure.why, failure.kind === 'busy' ? failure.afterMs : 0)
    }
  }
}
