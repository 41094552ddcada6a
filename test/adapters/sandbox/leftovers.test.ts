import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertKey, boxMarker } from '../../../src/adapters/sandbox/box-environment.ts'
import { isInside } from '../../../src/adapters/sandbox/box-mounts.ts'
import { toRegex } from '../../../src/adapters/sandbox/leftovers.ts'

const key = fc.stringMatching(/^[\w./:@-]{1,20}$/)

test('BOX-06 the pattern of a key matches that key only', () => {
  fc.assert(
    fc.property(key, key, (one, other) => {
      const regex = new RegExp(toRegex({ key: one }))
      expect(regex.test(`${boxMarker}=${assertKey(one)}`)).toBe(true)
      expect(regex.test(`${boxMarker}=${other}`)).toBe(one === other)
    }),
  )
})

test('BOX-06 the pattern of a prefix matches keys that start with it', () => {
  fc.assert(
    fc.property(key, key, (prefix, other) => {
      const regex = new RegExp(toRegex({ prefix }))
      expect(regex.test(`${boxMarker}=${prefix}${other}`)).toBe(true)
      expect(regex.test(`${boxMarker}=${other}`)).toBe(other.startsWith(prefix))
    }),
  )
})

test('GATE-12 a path is inside a directory by segments, not by characters', () => {
  expect(isInside('/work-evil', '/work')).toBe(false)
  expect(isInside('/work/a', '/work')).toBe(true)
  expect(isInside('/work', '/work')).toBe(true)
  expect(isInside('/work', '/')).toBe(true)
})
