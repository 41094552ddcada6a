import { expect, test } from 'vitest'
import { readCard } from '../../../src/core/card/read-card.ts'

const common = {
  approvalId: '1',
  number: 1,
  tool: 'bash',
  what: 'ls',
  reasons: [],
  alwaysPatterns: [],
  requestedBy: 'Ada',
  whoMayAnswer: 'Ada',
  expiresAt: '2030-01-01T00:00:00.000Z',
}
const statusOf = (status: object) =>
  readCard({ card: JSON.stringify({ ...common, status }) }).status

test.each([
  ['exit 0', true],
  ['done', true],
  ['ok', true],
  ['exit 1', false],
  ['not done', false],
])(
  'STORE-03 a card of an earlier version whose call ended with "%s" says whether it succeeded',
  (outcome, isSuccess) => {
    const stored = { kind: 'finished', by: 'Ada', outcome, durationMs: 5 }
    expect(statusOf(stored)).toEqual({ ...stored, isSuccess })
    const said = { ...stored, isSuccess: !isSuccess }
    expect(statusOf(said)).toEqual(said)
  },
)

test('STORE-03 a card of an earlier version names who stopped its call', () => {
  const stopped = statusOf({ kind: 'cancelled', why: 'stopped by Ada Lovelace' })
  expect(stopped).toEqual({ kind: 'cancelled', why: 'stopped', by: 'Ada Lovelace' })
  const other = { kind: 'cancelled', why: 'the turn ended' }
  expect(statusOf(other)).toEqual(other)
})

test('REL-01 a card that is none is refused', () => {
  expect(() => statusOf({ kind: 'else' })).toThrow(/status/)
  expect(() => readCard({ card: '{' })).toThrow(SyntaxError)
})
