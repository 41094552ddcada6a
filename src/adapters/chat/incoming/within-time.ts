import { setTimeout as sleep } from 'node:timers/promises'

/** Rejects with a `TimeoutError` when `work` did not end in time; `work` goes on unheard. */
export async function withinTime<T>(work: Promise<T>, timeMs: number): Promise<T> {
  const ending = new AbortController()
  const late = sleep(timeMs, undefined, { signal: ending.signal }).then(() => {
    throw new DOMException('it took too long', 'TimeoutError')
  })
  try {
    return await Promise.race([work, late])
  } finally {
    ending.abort()
  }
}
