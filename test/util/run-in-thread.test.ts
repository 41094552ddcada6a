import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runInThread } from '../../src/util/run-in-thread.ts'
import { blockUntil } from './work-of-threads.ts'

const work = (name: string) => ({ module: new URL('./work-of-threads.ts', import.meta.url), name })
const limits = { timeMs: 60_000, heapMb: 64 }

test('what the function throws is thrown', async () => {
  await expect(runInThread(work('failAt'), Date.now(), limits)).rejects.toThrow('failed')
})

test('OUT-09 more memory than it may have ends the thread alone', async () => {
  expect(await runInThread(work('hoard'), undefined, limits)).toEqual({ kind: 'exhausted' })
})

test('OUT-09 a failure that is heard of only when the time is over ends nothing else', async () => {
  const start = Date.now()
  const ended = runInThread(work('failAt'), start + 2_000, { ...limits, timeMs: 2_200 })
  const outcome = ended.then(
    ({ kind }) => kind,
    () => 'thrown',
  )
  await delay(1_800)
  await nextRound()
  // Both the failure and the end of the time wait for this thread.
  blockUntil(start + 2_600)
  expect(['exhausted', 'thrown']).toContain(await outcome)
})
