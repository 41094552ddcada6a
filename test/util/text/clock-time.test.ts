import { expect, test } from 'vitest'
import { localTime, utcDayAndTime, utcTime } from '../../../src/util/text/clock-time.ts'

const now = new Date('2026-11-21T12:00:00Z')

test.each([
  ['2026-11-21T00:03:00Z', '00:03 UTC', '21 Nov 00:03 UTC'],
  ['2026-11-20T23:59:59Z', '20 Nov 23:59 UTC', '20 Nov 23:59 UTC'],
  ['2026-01-02T09:05:00Z', '2 Jan 09:05 UTC', '2 Jan 09:05 UTC'],
  ['2025-11-21T12:00:00Z', '21 Nov 2025 12:00 UTC', '21 Nov 2025 12:00 UTC'],
  ['2027-01-01T00:00:00Z', '1 Jan 2027 00:00 UTC', '1 Jan 2027 00:00 UTC'],
])('APPR-13 %s is %j, and with its day %j', (time, words, withDay) => {
  expect(utcTime(new Date(time), now)).toBe(words)
  expect(utcDayAndTime(new Date(time), now)).toBe(withDay)
})

test('APPR-13 a terminal shows its own clock, and the day where it is not today', () => {
  const noon = new Date(2026, 10, 21, 12, 0)
  expect(localTime(new Date(2026, 10, 21, 9, 5), noon)).toBe('09:05')
  expect(localTime(new Date(2026, 10, 20, 23, 59), noon)).toBe('20 Nov 23:59')
  expect(localTime(new Date(2025, 0, 1, 0, 0), noon)).toBe('1 Jan 2025 00:00')
})
