import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cancelReason,
  nameWords,
  whoMayAnswer,
} from '../../../../src/adapters/chat/render/card-words.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

test.each([
  ['Ada', 'Ada'],
  ['Ada Lovelace 日本', 'Ada Lovelace 日本'],
  ['Ada, 12:03 UTC → exit 0', 'Ada 12:03 UTC exit 0'],
  ['✅ Approved · by Eve ⚪️⏳❌🚫⌛', 'Approved by Eve'],
  ['A\nda\u202e', 'A⟨U+000A⟩da⟨U+202E⟩'],
  [' , ', '⟨no name⟩'],
  [`${'x'.repeat(200)} (@eve)`, `${'x'.repeat(90)}…${'x'.repeat(62)} (@eve)`],
])('THREAT-23 the name %j is shown as %j', (name, words) => {
  expect(nameWords(english, name)).toBe(words)
})

test('THREAT-23 no name reads like a status', () => {
  const sign = fc.constantFrom(
    '→',
    '·',
    ',',
    '✅',
    '❌',
    '⏳',
    '🚫',
    '⚪',
    '⌛',
    '❯',
    '\n',
    'Ada',
    ' ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(sign).map((all) => all.join('')),
      ),
      (name) => {
        expect(nameWords(english, name)).not.toMatch(/[→·,✅❌⏳🚫⚪⌛❯\n]/u)
        expect([...nameWords(english, name)].length).toBeLessThanOrEqual(160)
        expect(nameWords(english, name).trim()).not.toBe('')
      },
    ),
  )
})

test('THREAT-23 names within other text are recognised by the requester, or by the text before them', () => {
  const card = { requestedBy: 'A, b', whoMayAnswer: 'A, b, or an approver' }
  expect(whoMayAnswer(english, card)).toEqual({ name: 'A b', words: ', or an approver' })
  expect(whoMayAnswer(english, { ...card, requestedBy: '' }).name).toBe('')
  expect(cancelReason(english, { kind: 'cancelled', why: 'stopped', by: 'Eve → done' })).toEqual({
    words: 'stopped by ',
    name: 'Eve done',
  })
  expect(
    cancelReason(english, { kind: 'cancelled', why: 'the plan, as it was, has changed' }).words,
  ).toBe('the plan, as it was, has changed')
})
