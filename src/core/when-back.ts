import { setTimeout as delay } from 'node:timers/promises'
import { isConnectionLoss } from '../util/has-code.ts'

/** Short: after an outage the sender must record before another process takes over its claim. */
const pauseMs = 250

/**
 * Retries `work` through a database outage, since an unrecorded external action would be repeated (CHAT-06). `work` is repeated
 * as a whole and may have committed when its connection broke. Other errors throw; so does the signal's reason, between tries.
 */
export async function retryThroughOutage<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(pauseMs, undefined, { signal })
    }
  }
}
