import type PQueue from 'p-queue'

/**
 * Takes a slot of `queue` in order of arrival, and holds it until the result is disposed. Rejects if aborted while waiting;
 * an aborted holder keeps its slot until it disposes it.
 */
export async function takeSlot(queue: PQueue, signal: AbortSignal): Promise<Disposable> {
  const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
  // Aborts only the wait, because the queue frees the slot of a task that is aborted while it runs.
  const wait = new AbortController()
  const stop = (): void => wait.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const hold = (): Promise<void> => {
    signal.removeEventListener('abort', stop)
    return new Promise((leave) => resolve({ [Symbol.dispose]: leave }))
  }
  queue.add(hold, { signal: wait.signal }).catch(reject)
  return promise
}
