import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupReasons } from '../../../../src/adapters/chat/render/group-reasons.ts'

const says = 'a rule of the worker says ask'

test('APPR-02 many reasons that differ only in the command become one, in order, at the position of the first', () => {
  const reasons = [
    'no rule allows it',
    `bash "touch x": ${says}`,
    `bash "sleep 2": ${says}`,
    'rm deletes files',
    `bash "wc -c \\"x\\"": ${says}`,
    `bash "ls": ${says}`,
  ]
  expect(groupReasons(reasons, 'bash')).toEqual([
    'no rule allows it',
    `${says}: touch x; sleep 2; wc -c \\"x\\"; ls`,
    'rm deletes files',
  ])
})

test('APPR-02 three stay as they are, and so do those of another tool or with a separator', () => {
  const three = ['a', 'b', 'c'].map((name) => `bash "${name}": ${says}`)
  expect(groupReasons(three, 'bash')).toEqual(three)
  const others = ['a', 'b', 'c', 'd'].map((name) => `read "${name}": ${says}`)
  expect(groupReasons(others, 'bash')).toEqual(others)
  const several = [...three, `bash "d; e": ${says}`]
  expect(groupReasons(several, 'bash')).toEqual(several)
})

test('APPR-16 for any reasons, nothing is dropped and nothing is added', () => {
  const about = fc.constantFrom('a', 'b c', '\\"', 'x; y', '": z', 'ls')
  const reason = fc.oneof(
    fc
      .tuple(fc.constantFrom('bash', 'read'), about, fc.constantFrom(says, 'no rule matches'))
      .map(([tool, what, why]) => `${tool} "${what}": ${why}`),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(reason, { maxLength: 20 }), (reasons) => {
      const shown = groupReasons(reasons, 'bash').flatMap((row) => {
        const [, why, list] =
          /^(a rule of the worker says ask|no rule matches): (.+)$/.exec(row) ?? []
        return list === undefined ? [row] : list.split('; ').map((what) => `bash "${what}": ${why}`)
      })
      expect(shown.toSorted()).toEqual(reasons.toSorted())
    }),
    { numRuns: 500 },
  )
})
