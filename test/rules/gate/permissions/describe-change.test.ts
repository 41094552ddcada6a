import { expect, test } from 'vitest'
import { describeChange } from '../../../../src/rules/gate/permissions/describe-change.ts'

test.each([
  ['{"a":"ask"}', '{"a":"ask"}', []],
  [
    '{"bash":{"ls":"allow","rm *":"deny"}}',
    '{"bash":{"ls":"allow","rm *":"allow"}}',
    ['- bash "rm *" deny', '+ bash "rm *" allow'],
  ],
  ['{"bash":"ask"}', '{"bash":"ask","read":"allow"}', ['+ read "*" allow']],
  ['{"bash":{"a":"ask","a":"ask"}}', '{"bash":{"a":"ask"}}', ['- bash "a" ask']],
  [
    '{"bash":{"a":"ask","b":"deny"}}',
    '{"bash":{"b":"deny","a":"ask"}}',
    ['the same rules in another order'],
  ],
  ['{"bash":"ask"}', '{ "bash": "ask" } // x', ['the same rules, other comments']],
  [
    '{"bash":{\n"ls":"allow"}}',
    '{"bash":{\n// granted by x\n"ls":"allow"}}',
    ['- bash "ls" allow', '+ bash "ls" allow, granted'],
  ],
  ['{"bash":"ask"}', '{', ['the text is damaged']],
  ['{', '{"bash":"ask"}', ['it was damaged; now there are 1 rules']],
  ['{"read":{"~/a":"ask"}}', '{}', ['- read "~/a" ask']],
])('AUD-01 GATE-04 what an edit changed is told rule by rule: %s', (before, after, told) => {
  expect(describeChange(before, after)).toEqual(told)
})

test('AUD-01 a long change is told in part', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, 'ask']))
  const told = describeChange('{}', JSON.stringify({ bash: { ...many, ['y'.repeat(999)]: 'ask' } }))
  expect(told).toHaveLength(41)
  expect(told.at(-1)).toBe('and 21 more')
})
