import { addAbortListener, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the signal fires, or at once when it has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Gives what `work` gives; rejects with the signal's reason when that fires first. `work` goes on unheard then. */
export async function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => reject(signal.reason))
  return await Promise.race([work, promise])
}

/** Gives what `work` gives, or `late` as soon as the signal fires. `work` goes on unheard then. */
export async function unlessAborted<T, Late>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  late: Late,
): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  using _listener = addAbortListener(signal, () => resolve(late))
  return await Promise.race([work, promise])
}

/** Gives what `work` gives, or `late` after `timeMs` milliseconds. `work` goes on unheard then. */
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

/** Gives what `work` gives; rejects with a `TimeoutError` after `timeMs` milliseconds. `work` goes on unheard then. */
export async function orTimeout<T>(work: PromiseLike<T>, timeMs: number): Promise<T> {
  return await orAborted(work, AbortSignal.timeout(Math.max(0, Math.ceil(timeMs))))
}

/** For what has come already to be read, in milliseconds. */
const graceMs = 50

/**
 * Fires after `timeMs` milliseconds, as `AbortSignal.timeout` does, but never before an answer that came meanwhile could be
 * read: a process that stood still finds its timers due before it has looked at its connections.
 */
export function patientTimeout(timeMs: number): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('no time left', 'TimeoutError'))
  setTimeout(() => setTimeout(abort, graceMs).unref(), timeMs).unref()
  return controller.signal
}
