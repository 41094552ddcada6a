import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatAddress,
  isPrivate,
  parseAddress,
  threadOf,
} from '../../../../../src/adapters/chat/slack/outgoing/address.ts'
import '../../../../support/run/fuzz-seed.ts'

test('SLACK-01 an address is a channel, or a thread in one', () => {
  expect(parseAddress('C0GENERAL1')).toEqual({ channel: 'C0GENERAL1' })
  expect(parseAddress('D0ADA00001/1800000000.000100')).toEqual({
    channel: 'D0ADA00001',
    thread: '1800000000.000100',
  })
  expect(isPrivate({ channel: 'D0ADA00001' })).toBe(true)
  expect(isPrivate({ channel: 'C0GENERAL1' })).toBe(false)
  expect(isPrivate({ channel: 'G0GROUP001' })).toBe(false)
  expect(threadOf({ channel: 'C1', thread: '1.1' })).toEqual({ thread_ts: '1.1' })
  expect(threadOf({ channel: 'C1' })).toEqual({})
})

test('SLACK-01 an invalid address is not parsed', () => {
  for (const wrong of [
    '',
    'C',
    'U0ADA00001',
    'c0general1',
    ' C0GENERAL1',
    'C0GENERAL1\n',
    'C0GENERAL1/',
    'C0GENERAL1/1800000000',
    'C0GENERAL1/1.1/1.1',
    'C0GENERAL1/1.1\n',
    '/1.1',
    '@ada',
    `C${'0'.repeat(31)}`,
  ]) {
    expect(parseAddress(wrong), wrong).toBeUndefined()
  }
})

test('SLACK-01 a parsed address is formatted the same way', () => {
  const place = fc.oneof(fc.string(), fc.stringMatching(/^[CDGU][A-Z0-9]{0,12}(\/\d+\.\d+)?$/))
  fc.assert(
    fc.property(place, (name) => {
      const read = parseAddress(name)
      if (read !== undefined) expect(formatAddress(read)).toBe(name)
    }),
  )
})
