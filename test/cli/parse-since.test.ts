import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSince } from '../../src/cli/since-option.ts'

const now = new Date('2026-11-21T12:00:00.000Z')

test.each([
  ['90s', '2026-11-21T11:58:30.000Z'],
  ['15m', '2026-11-21T11:45:00.000Z'],
  ['2h', '2026-11-21T10:00:00.000Z'],
  ['3d', '2026-11-18T12:00:00.000Z'],
  ['1w', '2026-11-14T12:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T10:30', '2026-11-20T10:30:00.000Z'],
  ['2026-11-20 10:30:05', '2026-11-20T10:30:05.000Z'],
  ['2026-11-20T10:30:05.123Z', '2026-11-20T10:30:05.123Z'],
  ['2026-11-20T10:30+02:00', '2026-11-20T08:30:00.000Z'],
])('AUD-04 %s is %s', (text, expected) => {
  expect(parseSince(text, now)?.toISOString()).toBe(expected)
})

test.each([
  '',
  'h',
  '2',
  '2y',
  '-2h',
  '1.5h',
  '2026',
  '2026-02-31',
  '2026-13-01',
  '2026-11-20T25:00',
])('AUD-04 %j is not a time', (text) => {
  expect(parseSince(text, now)).toBeUndefined()
})

test('AUD-04 every time in ISO form is parsed as itself', () => {
  const min = new Date('1970-01-01T00:00Z')
  const max = new Date('9999-12-31T00:00Z')
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      expect(parseSince(date.toISOString(), now)?.getTime()).toBe(date.getTime())
    }),
  )
})

test('REL-02 any text is either a valid time or none, without an exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\dTZ:+ -]{0,24}$/)), (text) => {
      const since = parseSince(text, now)
      expect(since === undefined || !Number.isNaN(since.getTime())).toBe(true)
    }),
  )
})
