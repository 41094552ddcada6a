import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLoss } from '../../util/has-code.ts'
import type { Log } from '../../util/log.ts'
import { backoffMs } from '../../util/run-periodically.ts'

/** Delay after the `failures`th failure in a row, in milliseconds: up to 50, doubled each time, at most 1 s. */
export function pauseAfterMs(failures: number): number {
  return backoffMs(failures - 1, 50, 1_000)
}

/** Retries until `attempt` succeeds. Waits for a server that cannot be reached; any other error, or the signal, ends it. */
export async function retryUntilUp<T>(
  attempt: () => Promise<T>,
  options: { readonly log: Log; readonly what: string; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  for (let failures = 1; ; failures++) {
    options.signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      if (failures === 1)
        options.log.warn({ err: error }, `${options.what}: waiting for the server`)
      await sleep(pauseAfterMs(failures), undefined, { signal: options.signal })
    }
  }
}
