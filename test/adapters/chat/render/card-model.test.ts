import { expect, test } from 'vitest'
import { cardModel } from '../../../../src/adapters/chat/render/card-model.ts'
import type { Card } from '../../../../src/domain/approval.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { aCard } from '../console/cards.ts'

const view = {
  messages: english,
  at: (time: string) => ({ text: time }),
  until: (time: string) => ({ text: time }),
  takesReplies: false,
}

function modelOf(changes: Partial<Card>) {
  const { notes, details } = cardModel(aCard(changes), view)
  const text = (line: readonly { text: string }[]) => line.map((piece) => piece.text).join('')
  return {
    notes: notes.map(text),
    details: Object.fromEntries(details.map(({ label, values }) => [label, values.map(text)])),
  }
}

test('CARD-07 a waiting card proposes what was approved often', () => {
  const habit = { times: 10, since: '2026-11-01' }
  const card = { habit, alwaysPatterns: ['npm test *'] }
  expect(modelOf(card).notes).toEqual([
    '🔁 Approved 10 times since 2026-11-01 and not denied: Always allows npm test *',
  ])
  const status = { kind: 'expired', at: '2026-11-02' } as const
  expect(modelOf({ ...card, status }).notes).toEqual([])
})

test.each([
  ['deny', 'then it is denied'],
  ['wait', 'then it waits again'],
  ['stop', 'then the turn stops'],
] as const)('CARD-08 the details say what happens when nobody answers: %s', (action, words) => {
  const expiresAt = '2026-11-02'
  const { details } = modelOf({ expiresAt, unanswered: { action, escalatesAt: '2026-11-01' } })
  expect(details['Until']).toEqual([`${expiresAt}, ${words}`])
  expect(details['If nobody answers']).toEqual(['a deputy is asked, 2026-11-01'])
  expect(modelOf({ expiresAt }).details['Until']).toEqual([expiresAt])
})
