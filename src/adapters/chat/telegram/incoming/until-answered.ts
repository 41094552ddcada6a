import type { Log } from '../../../../util/log.ts'
import { createPace } from '../../incoming/pace.ts'
import type { ApiSignal } from '../api.ts'
import { TokenRefused, toApiFailure } from './api-failure.ts'
import type { OnFailure } from './api-trouble.ts'
import { withDeadline } from './with-deadline.ts'

const deadlineMs = 30_000

/** Calls the Bot API until it answers. A refused token, or the signal, ends it. */
export async function untilAnswered<T>(
  attempt: (signal: ApiSignal) => Promise<T>,
  options: {
    readonly log: Log
    readonly what: string
    readonly signal: AbortSignal
    readonly onFailure?: OnFailure | undefined
  },
): Promise<T> {
  const pace = createPace(options)
  for (;;) {
    options.signal.throwIfAborted()
    try {
      const answer = await attempt(withDeadline(deadlineMs, options.signal))
      pace.fine()
      return answer
    } catch (error) {
      options.signal.throwIfAborted()
      const failure = toApiFailure(error)
      // biome-ignore lint/style/useErrorCause: the cause holds the address, and with it the token
      if (failure.kind === 'token_refused') throw new TokenRefused()
      options.onFailure?.(failure)
      await pace.wait(failure.why, failure.kind === 'busy' ? failure.afterMs : 0)
    }
  }
}
