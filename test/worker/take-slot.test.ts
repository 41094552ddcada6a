import fc from 'fast-check'
import PQueue from 'p-queue'
import { expect, test } from 'vitest'
import { takeSlot } from '../../src/worker/worker-tool.ts'

const never = new AbortController().signal

test('REL-03 a waiter that is cancelled in the tick in which a slot is freed does not cancel others', async () => {
  const queue = new PQueue({ concurrency: 1 })
  const first = await takeSlot(queue, never)
  const cancelled = new AbortController()
  const second = takeSlot(queue, cancelled.signal)
  const third = takeSlot(queue, never)
  first[Symbol.dispose]()
  cancelled.abort(new Error('stopped'))
  // It got the slot, or was cancelled in time.
  const got = await second.catch(() => undefined)
  got?.[Symbol.dispose]()
  const last = await third
  last[Symbol.dispose]()
})

test('REL-03 in any order of cancels and releases, each waiter gets a slot or is cancelled, and all slots are returned', async () => {
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
  const queue = new PQueue({ concurrency: places })
  let inside = 0
  const visits = acts.map(async ({ cancel, at, hold }) => {
    const controller = new AbortController()
    if (cancel) void ticks(at).then(() => controller.abort(new Error('stopped')))
    try {
      using _slot = await takeSlot(queue, controller.signal)
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
  await Promise.all(Array.from({ length: places }, () => takeSlot(queue, never)))
}

async function ticks(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await undefined
}

test('REL-03 a cancelled waiter is rejected at once, and a cancelled holder keeps its slot', async () => {
  const queue = new PQueue({ concurrency: 1 })
  const inside = new AbortController()
  const first = await takeSlot(queue, inside.signal)
  inside.abort()
  const waiting = new AbortController()
  const second = takeSlot(queue, waiting.signal)
  await ticks(5)
  expect(queue.size).toBe(1)
  waiting.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  await expect(takeSlot(queue, waiting.signal)).rejects.toThrow('stopped')
  first[Symbol.dispose]()
  await takeSlot(queue, never)
})
