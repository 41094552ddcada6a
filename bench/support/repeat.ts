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

const warmUpMs = 500
const batchMs = 2
const batches = 200

/**
 * How long one call of `work` takes, in microseconds: many short batches, so that a busy machine harms few of them.
 * Takes about a second.
 */
export function perCallUs(work: () => unknown): number[] {
  const calls = callsIn(warmUpMs, work)
  const size = Math.max(Math.round((calls * batchMs) / warmUpMs), 1)
  return Array.from({ length: batches }, () => {
    const start = performance.now()
    for (let index = 0; index < size; index += 1) work()
    return ((performance.now() - start) / size) * 1_000
  })
}

function callsIn(ms: number, work: () => unknown): number {
  const end = performance.now() + ms
  let calls = 0
  for (; performance.now() < end; calls += 1) work()
  return calls
}
