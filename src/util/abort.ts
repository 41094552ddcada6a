import { addAbortListener, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the signal fires, or at once when it has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Resolves as `work` does; rejects with the signal's reason if it fires first. `work` is not cancelled. */
export async function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => reject(signal.reason))
  return await Promise.race([work, promise])
}

/** Resolves as `work` does, or to `late` as soon as the signal fires. `work` is not cancelled. */
export async function unlessAborted<T, Late>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  late: Late,
): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  using _listener = addAbortListener(signal, () => resolve(late))
  return await Promise.race([work, promise])
}

/** Resolves as `work` does, or to `late` after `timeMs` milliseconds. `work` is not cancelled. */
export async function withinMs<T, Late>(
  work: PromiseLike<T>,
  timeMs: number,
  late: Late,
): Promise<T | Late> {
  const over = new AbortController()
  try {
    return await Promise.race([work, sleep(timeMs, late, { signal: over.signal })])
  } finally {
    over.abort()
  }
}

/** Resolves as `work` does; rejects with a `TimeoutError` after `timeMs` milliseconds. `work` is not cancelled. */
export async function orTimeout<T>(work: PromiseLike<T>, timeMs: number): Promise<T> {
  return await orAborted(work, AbortSignal.timeout(Math.max(0, Math.ceil(timeMs))))
}

/** Time to read data that has already arrived, in milliseconds. */
const graceMs = 50

/**
 * Fires after `timeMs` milliseconds, like `AbortSignal.timeout`, but only after pending input could be read: in a process that
 * was suspended, timers fire before its connections are read.
 */
export function patientTimeout(timeMs: number): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('no time left', 'TimeoutError'))
  setTimeout(() => setTimeout(abort, graceMs).unref(), timeMs).unref()
  return controller.signal
}
