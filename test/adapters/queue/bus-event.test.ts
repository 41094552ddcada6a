import { expect, test } from 'vitest'
import { decodeEvent } from '../../../src/adapters/queue/create-redis-bus.ts'

test('REL-03 an event above the size limit is not parsed', () => {
  const event = (text: string) => JSON.stringify({ topic: 'live', payload: text })
  expect(decodeEvent(event('x'.repeat(6_000)))).toMatchObject({ topic: 'live' })
  expect(decodeEvent(event('x'.repeat(7_000)))).toBeUndefined()
  expect(decodeEvent('{')).toBeUndefined()
})
