import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isPrivate,
  parseAddress,
} from '../../../../../src/adapters/chat/telegram/outgoing/create-drafts.ts'
import '../../../../support/run/fuzz-seed.ts'

test('TG-04 an address is a chat, or a topic in one', () => {
  expect(parseAddress('42')).toEqual({ chatId: 42 })
  expect(parseAddress('-1001234567890/17')).toEqual({ chatId: -1001234567890, threadId: 17 })
  expect(isPrivate({ chatId: 42 })).toBe(true)
  expect(isPrivate({ chatId: -42 })).toBe(false)
})

test('TG-04 an invalid address is not parsed', () => {
  for (const wrong of [
    '',
    '0',
    '-0',
    '01',
    '1.5',
    '1e3',
    ' 1',
    '1\n',
    '1/',
    '1/0',
    '/1',
    '1/-2',
    '--1',
    '@ada',
    '9007199254740993',
    '1/2/3',
  ]) {
    expect(parseAddress(wrong), wrong).toBeUndefined()
  }
})

test('TG-04 a parsed address is formatted the same way', () => {
  const place = fc.oneof(fc.string(), fc.stringMatching(/^-?\d{0,18}(\/\d{0,11})?$/))
  fc.assert(
    fc.property(place, (name) => {
      const read = parseAddress(name)
      if (read === undefined) return
      const { chatId, threadId } = read
      expect(threadId === undefined ? `${chatId}` : `${chatId}/${threadId}`).toBe(name)
    }),
  )
})
