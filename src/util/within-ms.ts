/** What `work` gives, or `late` when it has not within `timeMs` milliseconds; it goes on unheard then. */
export async function withinMs<T, Late>(
  work: Promise<T>,
  timeMs: number,
  late: Late,
): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>()
  const timer = setTimeout(() => resolve(late), timeMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
