import { afterEach, describe, expect, test, vi } from 'vitest'
import { toolErrorCategories } from '../../src/domain/tool/tool-error.ts'
import { runWithRetries } from '../../src/worker/run-with-retries.ts'
import type { WorkerToolOutcome } from '../../src/worker/worker-tool.ts'

const usual = { maxAttempts: 2, baseMs: 500, maxMs: 5_000, budgetMs: 30_000 }
const quick = { ...usual, baseMs: 1, maxMs: 1 }
const never = new AbortController().signal
const ok: WorkerToolOutcome = { kind: 'ok', output: 'fine' }

type Category = (typeof toolErrorCategories)[number]
const failing = (category: Category, more: object = {}): WorkerToolOutcome => ({
  kind: 'error',
  error: { category, message: 'no' },
  ...more,
})

/** Returns the results in turn, repeating the last one; records the time and time limit of each try. */
function scripted(...outcomes: readonly WorkerToolOutcome[]) {
  const asked: { readonly at: number; readonly withinMs: number | undefined }[] = []
  const startedAt = performance.now()
  const run = async (withinMs: number | undefined): Promise<WorkerToolOutcome> => {
    asked.push({ at: performance.now() - startedAt, withinMs })
    return outcomes[Math.min(asked.length, outcomes.length) - 1] ?? ok
  }
  return { run, asked }
}

describe('tries', () => {
  test.each(toolErrorCategories)('ERR-03 %s', async (category) => {
    const { run, asked } = scripted(failing(category))
    const isRetryable = ['rate_limited', 'server_error', 'network_error', 'timeout'].includes(
      category,
    )
    const outcome = await runWithRetries(run, quick, never)
    expect(outcome).toMatchObject({ error: { category }, tries: isRetryable ? 3 : 1 })
    expect(asked).toHaveLength(isRetryable ? 3 : 1)
  })

  test('ERR-03 a success after retries is a success, and every request is kept with its try', async () => {
    const hop = { url: 'https://a/', host: 'a', method: 'GET', bytes: 0 } as const
    const { run } = scripted(
      failing('server_error', { hops: [hop, hop] }),
      failing('network_error', { hops: [hop] }),
      { ...ok, hops: [hop] },
    )
    expect(await runWithRetries(run, quick, never)).toEqual({
      ...ok,
      tries: 3,
      hops: [hop, hop, { ...hop, try: 2 }, { ...hop, try: 3 }],
    })
  })

  test('ERR-03 a permanent failure ends the tries, and there are no more than allowed', async () => {
    const { run, asked } = scripted(failing('timeout'), failing('permanent_failure'))
    expect(await runWithRetries(run, quick, never)).toMatchObject({
      error: { category: 'permanent_failure' },
      tries: 2,
    })
    expect(asked).toHaveLength(2)
    const once = scripted(failing('timeout'))
    await runWithRetries(once.run, { ...quick, maxAttempts: 0 }, never)
    expect(once.asked).toHaveLength(1)
  })
})

describe('waits', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('ERR-03 uses full jitter below a base that doubles, up to the cap', async () => {
    const limits = { maxAttempts: 4, baseMs: 40, maxMs: 100, budgetMs: 30_000 }
    const gaps = async (random: number) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      const { run, asked } = scripted(failing('timeout'))
      await runWithRetries(run, limits, never)
      return asked.slice(1).map(({ at }, before) => at - (asked[before]?.at ?? 0))
    }
    const [shortest = Number.NaN] = (await gaps(0)).sort((a, b) => a - b)
    expect(shortest).toBeLessThan(40)
    const longest = await gaps(0.999)
    for (const [at, ms] of [40, 80, 100, 100].entries()) {
      expect(longest[at]).toBeGreaterThan(ms - 3)
    }
  })

  test('ERR-03 WEB-06 a requested delay is respected, and no wait starts that exceeds the budget', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { run, asked } = scripted(failing('rate_limited', { retryAfterMs: 300 }), ok)
    expect(await runWithRetries(run, quick, never)).toMatchObject({ kind: 'ok', tries: 2 })
    expect(asked[1]?.at).toBeGreaterThanOrEqual(300)
    const startedAt = performance.now()
    const long = scripted(failing('rate_limited', { retryAfterMs: 30_001 }))
    expect(await runWithRetries(long.run, quick, never)).toMatchObject({ kind: 'error', tries: 1 })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('ERR-03 all tries stay within the budget, and each further try gets what is left of it', async () => {
    // A clock that advances only by the tries, however slow this machine is.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const slow = async () => {
      now += 400
      return failing('server_error')
    }
    const given: (number | undefined)[] = []
    const outcome = await runWithRetries(
      (withinMs) => {
        given.push(withinMs)
        return slow()
      },
      { ...quick, maxAttempts: 5, budgetMs: 1_000 },
      never,
    )
    expect(outcome.tries).toBe(2)
    expect(given[0]).toBeUndefined()
    expect(given[1]).toBeLessThanOrEqual(600)
  })

  test('ERR-03 LOOP-14 a stop ends the wait at once', async () => {
    const stop = new AbortController()
    const { run, asked } = scripted(failing('rate_limited', { retryAfterMs: 25_000, hops: [] }))
    const startedAt = performance.now()
    setTimeout(() => stop.abort(), 50)
    expect(await runWithRetries(run, usual, stop.signal)).toMatchObject({
      kind: 'error',
      error: { category: 'cancelled' },
      tries: 1,
      hops: [],
    })
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(asked).toHaveLength(1)
  })
})
