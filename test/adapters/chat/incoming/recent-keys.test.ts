import { expect, test } from 'vitest'
import { createRecentKeys } from '../../../../src/adapters/chat/incoming/recent-keys.ts'

test('REL-02 only so many keys are remembered, those of late', () => {
  const keys = createRecentKeys(2)
  expect(keys.has('a')).toBe(false)
  keys.add('a')
  keys.add('b')
  keys.add('a')
  keys.add('c')
  expect(['a', 'b', 'c'].filter((key) => keys.has(key))).toEqual(['a', 'c'])
  keys.forget('c')
  expect(keys.has('c')).toBe(false)
})
