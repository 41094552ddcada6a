import { expect, test } from 'vitest'
import { GuessLimit } from '../../../src/adapters/http/guess-limit.ts'

function createLimit() {
  const clock = { now: 0 }
  const limit = new GuessLimit(() => clock.now)
  return { clock, limit, tries: (address: string, count = 100) => tries(limit, address, count) }
}

function tries(limit: GuessLimit, address: string, count: number): number {
  return Array.from({ length: count }, (_, index) => limit.take(address, `wrong ${index}`)).filter(
    Boolean,
  ).length
}

test('APPR-11 REL-03 ten tries a minute of an address fail, then none is looked at until the minute is over', () => {
  const { clock, tries: tried } = createLimit()
  expect(tried('10.0.0.1')).toBe(10)
  clock.now = 59_999
  expect(tried('10.0.0.1')).toBe(0)
  expect(tried('10.0.0.2')).toBe(10)
  clock.now = 60_000
  expect(tried('10.0.0.1')).toBe(10)
})

test('APPR-11 REL-03 an IPv6 network is one address, and IPv4 is the same in either spelling', () => {
  const { tries: tried } = createLimit()
  expect(tried('2001:db8:0:1::1', 5)).toBe(5)
  expect(tried('2001:db8::1:0:0:0:2', 5)).toBe(5)
  expect(tried('2001:db8:0:1:ffff::')).toBe(0)
  expect(tried('2001:db8:0:2::1')).toBe(10)
  expect(tried('::1')).toBe(10)
  expect(tried('10.0.0.1')).toBe(10)
  expect(tried('::ffff:10.0.0.1')).toBe(0)
})

test('APPR-11 a token that is right counts for nothing, and is looked up however many others were wrong', () => {
  const { limit, tries: tried } = createLimit()
  for (let index = 0; index < 50; index += 1) {
    expect(limit.take('10.0.0.1', 'right')).toBe(true)
    limit.right('10.0.0.1', 'right')
  }
  expect(tried('10.0.0.1')).toBe(10)
  expect(limit.take('10.0.0.1', 'right')).toBe(true)
  limit.right('10.0.0.1', 'right')
  expect(tried('10.0.0.1')).toBe(0)
})

test('APPR-11 REL-03 what it remembers is bounded', () => {
  const { limit } = createLimit()
  for (let index = 0; index < 20_000; index += 1) {
    limit.take(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 'wrong')
  }
  // The oldest is forgotten, a late one is not.
  expect(tries(limit, '10.0.0.0', 20)).toBe(10)
  expect(tries(limit, '10.0.78.31', 20)).toBe(9)
})
