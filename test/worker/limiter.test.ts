import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Limiter } from '../../src/worker/limiter.ts'

const never = new AbortController().signal

test('REL-03 a waiter that is cancelled in the tick in which a place is freed takes no other along', async () => {
  const limiter = new Limiter(1)
  const first = await limiter.enter(never)
  const cancelled = new AbortController()
  const second = limiter.enter(cancelled.signal)
  const third = limiter.enter(never)
  first[Symbol.dispose]()
  cancelled.abort(new Error('stopped'))
  const got = await second
  got[Symbol.dispose]()
  const last = await third
  last[Symbol.dispose]()
})

test('REL-03 whatever the order of cancels and frees, each waiter gets a place or is cancelled, and all places come back', async () => {
  const act = fc.record({ cancel: fc.boolean(), at: fc.nat(3), hold: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(act, { maxLength: 12 }), run),
    { numRuns: 500 },
  )
})

interface Act {
  readonly cancel: boolean
  readonly at: number
  readonly hold: number
}

async function run(places: number, acts: readonly Act[]): Promise<void> {
  const limiter = new Limiter(places)
  let inside = 0
  const visits = acts.map(async ({ cancel, at, hold }) => {
    const controller = new AbortController()
    if (cancel) void ticks(at).then(() => controller.abort(new Error('stopped')))
    try {
      using _place = await limiter.enter(controller.signal)
      inside += 1
      expect(inside).toBeLessThanOrEqual(places)
      await ticks(hold)
      inside -= 1
    } catch (error) {
      if (!controller.signal.aborted) throw error
    }
  })
  await Promise.all(visits)
  // None was lost: as many as there are can be taken at once.
  await Promise.all(Array.from({ length: places }, () => limiter.enter(never)))
}

async function ticks(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await undefined
}
