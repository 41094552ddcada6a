import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { unlessAborted } from '../../src/util/abort.ts'
import { mapConcurrently } from '../../src/util/each-of.ts'

test('POL-05 eachOf keeps the order, and has no more under way than it may', async () => {
  let underWay = 0
  let most = 0
  const doubled = await mapConcurrently([...Array(20).keys()], 3, async (item) => {
    most = Math.max(most, ++underWay)
    for (let left = (item * 7) % 5; left > 0; left -= 1) await turn()
    underWay -= 1
    return item * 2
  })
  expect(doubled).toEqual([...Array(20).keys()].map((item) => item * 2))
  expect(most).toBe(3)
  expect(await mapConcurrently([], 3, async () => 1)).toEqual([])
  await expect(mapConcurrently([1], 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('POL-05 unlessAborted waits for nothing that gives no heed to its signal', async () => {
  const never = new Promise<string>(() => undefined)
  const controller = new AbortController()
  const waiting = unlessAborted(never, controller.signal, 'late')
  controller.abort()
  expect(await waiting).toBe('late')
  expect(await unlessAborted(never, controller.signal, 'late')).toBe('late')
  expect(
    await unlessAborted(Promise.resolve('in time'), new AbortController().signal, 'late'),
  ).toBe('in time')
})
