import type PQueue from 'p-queue'

/**
 * Takes a place of `queue` in the order of coming, and holds it until the answer is disposed. Rejects when aborted while it
 * waits; a holder that is aborted keeps its place until it has ended.
 */
export async function takePlace(queue: PQueue, signal: AbortSignal): Promise<Disposable> {
  const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
  // A signal of the wait alone: the queue gives a place away whose task is aborted while it runs.
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
