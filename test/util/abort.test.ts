import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import {
  orAborted,
  orTimeout,
  patientTimeout,
  unlessAborted,
  untilAborted,
  withinMs,
} from '../../src/util/abort.ts'

test('without an answer it fires, as a time-out does', async () => {
  const signal = patientTimeout(10)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

const never = new Promise<never>(() => undefined)

test('REL-03 work is waited for until the signal fires, and a signal that has fired is not waited for', async () => {
  const controller = new AbortController()
  const waiting = [
    orAborted(never, controller.signal).catch((reason: unknown) => reason),
    unlessAborted(never, controller.signal, 'late'),
    untilAborted(controller.signal).then(() => 'fired'),
  ]
  controller.abort('over')
  expect(await Promise.all(waiting)).toEqual(['over', 'late', 'fired'])
  await expect(orAborted(never, controller.signal)).rejects.toBe('over')
  expect(await unlessAborted(never, controller.signal, 'late')).toBe('late')
  await untilAborted(controller.signal)
})

test('REL-03 work that ends in time leaves neither listener nor timer', async () => {
  const { signal } = new AbortController()
  const before = timers()
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
  expect(await unlessAborted(Promise.resolve(2), signal, 0)).toBe(2)
  const failed = new Error('it failed')
  await expect(unlessAborted(Promise.reject(failed), signal, 0)).rejects.toBe(failed)
  await expect(withinMs(Promise.reject(failed), 60_000, 0)).rejects.toBe(failed)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(timers()).toBe(before)
})

test('REL-03 work that takes too long is given up', async () => {
  expect(await withinMs(never, 1, 'late')).toBe('late')
  await expect(orTimeout(never, 0.5)).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(orTimeout(never, -1)).rejects.toMatchObject({ name: 'TimeoutError' })
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}
