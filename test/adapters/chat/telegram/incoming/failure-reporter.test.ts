import { expect, test } from 'vitest'
import type { ApiFailure } from '../../../../../src/adapters/chat/telegram/incoming/api-failure.ts'
import { createFailureReporter } from '../../../../../src/adapters/chat/telegram/incoming/api-failure.ts'

function told(...failures: readonly ApiFailure[]): readonly string[] {
  const words: string[] = []
  const tell = createFailureReporter((why) => words.push(why))
  for (const failure of failures) tell(failure)
  return words
}

const lost = { kind: 'unreachable', why: 'no answer', isForeign: false } as const

test('TG-01 each kind of failure is reported once, in plain words', () => {
  const refused = { kind: 'rejected', why: '400: bad webhook' } as const
  const conflict = { kind: 'conflict', isWebhook: false, why: '409: …' } as const
  const busy = { kind: 'busy', afterMs: 1, why: '429' } as const
  expect(
    told({ ...lost, detail: 'ENOTFOUND' }, lost, conflict, conflict, refused, busy, lost, busy),
  ).toEqual([
    'no answer yet (ENOTFOUND); trying on.',
    'another program asks for updates with this token; messages go to only one of the two.',
    'it refuses (400: bad webhook); trying on.',
    'it asks to wait; trying on.',
  ])
  expect(told(lost)).toEqual(['no answer yet; trying on.'])
})

test('TG-01 failures that stop the service, or resolve themselves, are not reported', () => {
  const mending = { kind: 'conflict', isWebhook: true, why: '409: …' } as const
  const conflict = { ...mending, isWebhook: false }
  expect(told({ kind: 'token_refused', why: '401' }, mending)).toEqual([])
  expect(told(mending, conflict)).toHaveLength(1)
})
