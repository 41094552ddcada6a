import { expect, test } from 'vitest'
import { FailureDelay } from '../../../src/adapters/queue/redis-backend.ts'

test('STORE-04 an outage is reported once, even if a success from before it arrives late', async () => {
  const told: string[] = []
  const pace = new FailureDelay({
    isOutage: () => true,
    onStart: () => told.push('began'),
    onEnd: () => told.push('over'),
  })
  const early = Promise.withResolvers<string>()
  const late = pace.run(() => early.promise)
  const fail = () => pace.run(() => Promise.reject(new Error('away')))
  await expect(fail()).rejects.toThrow('away')
  early.resolve('answered before')
  expect(await late).toBe('answered before')
  await expect(fail()).rejects.toThrow('away')
  expect(told).toEqual(['began'])
  await pace.run(async () => 'answered again')
  expect(told).toEqual(['began', 'over'])
})
