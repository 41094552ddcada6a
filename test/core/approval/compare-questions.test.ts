import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareApprovals } from '../../../src/core/approval/follow-questions.ts'
import type { OpenApproval } from '../../../src/db/approval/open-approvals.ts'

function question(id: string, at = 0): OpenApproval {
  return { id, sessionId: 's', callerId: 'c', expiresAt: new Date(at) }
}

function told(...questions: readonly OpenApproval[]): ReadonlyMap<string, OpenApproval> {
  return new Map(questions.map((one) => [one.id, one]))
}

test('APPR-11 what is new is required in its order, what is gone is resolved, what stays is not told again', () => {
  const open = [question('c'), question('a'), question('b')]
  expect(compareApprovals(told(), open)).toEqual({ required: open, resolved: [] })
  expect(compareApprovals(told(question('a'), question('x')), open)).toEqual({
    required: [question('c'), question('b')],
    resolved: [question('x')],
  })
  expect(compareApprovals(told(...open), open)).toEqual({ required: [], resolved: [] })
  expect(compareApprovals(told(...open), [])).toEqual({ required: [], resolved: open })
})

test('APPR-11 APPR-19 one that is open for another time is told anew, and is not resolved', () => {
  const later = question('a', 1)
  expect(compareApprovals(told(question('a')), [later])).toEqual({
    required: [later],
    resolved: [],
  })
})

test('APPR-11 whatever was told and whatever is lost on the way, telling the difference makes both the same', () => {
  const some = fc.uniqueArray(fc.record({ id: fc.constantFrom(...'abcdef'), at: fc.nat(2) }), {
    selector: ({ id }) => id,
  })
  fc.assert(
    fc.property(some, some, (before, after) => {
      const known = new Map(told(...before.map(({ id, at }) => question(id, at))))
      const open = after.map(({ id, at }) => question(id, at))
      const { required, resolved } = compareApprovals(known, open)
      for (const { id } of resolved) known.delete(id)
      for (const one of required) known.set(one.id, one)
      expect(new Map(known)).toEqual(told(...open))
      expect(compareApprovals(known, open)).toEqual({ required: [], resolved: [] })
    }),
  )
})
