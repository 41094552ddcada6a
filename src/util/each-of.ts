/** Runs `work` for each item, at most `most` at once, and returns the results in order. Rejects with the first failure. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  const run = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run))
  return results
}

/**
 * Limits concurrent runs of `work` to `limit`; further calls return at once without running it. For work that is repeated
 * elsewhere anyway.
 */
export function skipWhenBusy<Args extends readonly unknown[]>(
  limit: number,
  work: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let underWay = 0
  return async (...args) => {
    if (underWay >= limit) return
    underWay += 1
    try {
      await work(...args)
    } finally {
      underWay -= 1
    }
  }
}

/** Shares one run of `work` among callers that ask while it is in progress, so that calls do not pile up. */
export function shareInFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
