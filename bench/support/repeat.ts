/** Runs `work` so many times, one after the other, and answers what each run answered. */
export async function repeat<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let index = 0; index < count; index += 1) results.push(await work(index))
  return results
}

/** How long `work` takes, in milliseconds of wall time. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** How long one call of `work` takes, in microseconds: many batches, so that a busy machine harms few of them. */
export function perCallUs(work: () => unknown, batches = 40, batchSize = 10): number[] {
  for (let index = 0; index < 300; index += 1) work()
  return Array.from({ length: batches }, () => {
    const start = performance.now()
    for (let index = 0; index < batchSize; index += 1) work()
    return ((performance.now() - start) / batchSize) * 1_000
  })
}
