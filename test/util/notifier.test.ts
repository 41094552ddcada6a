import { expect, test } from 'vitest'
import { Notifier } from '../../src/util/notifier.ts'

const long = 60_000
const never = new AbortController().signal

test('APPR-11 all who wait are woken, and nobody who begins to wait later', async () => {
  const bell = new Notifier()
  const waiting = [bell.waitForRing(0, long, never), bell.waitForRing(0, long, never)]
  bell.ring()
  await Promise.all(waiting)
  const later = bell.waitForRing(bell.rings, 20, never).then(() => 'late')
  expect(await Promise.race([later, Promise.resolve('still waits')])).toBe('still waits')
  expect(await later).toBe('late')
})

test('APPR-11 what rang between two waits is not lost', async () => {
  const bell = new Notifier()
  const { rings } = bell
  bell.ring()
  await bell.waitForRing(rings, long, never)
})

test('APPR-11 time and the signal end a wait', async () => {
  const bell = new Notifier()
  await bell.waitForRing(0, 1, never)
  const ending = new AbortController()
  const waiting = bell.waitForRing(0, long, ending.signal)
  ending.abort()
  await waiting
  await bell.waitForRing(0, long, ending.signal)
})
