/** What `work` gives, or `late` as soon as the signal fires, whether `work` heeds it or not; it goes on unheard then. */
export async function unlessAborted<T, Late>(
  work: Promise<T>,
  signal: AbortSignal,
  late: Late,
): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  const stop = (): void => resolve(late)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
