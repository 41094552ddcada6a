import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toWildcard, wildcardMatch } from '../../../src/util/text/wildcard-match.ts'
import { wildcardsOverlap } from '../../../src/util/text/wildcards-overlap.ts'

const overlap = (one: string, other: string) => wildcardsOverlap(toWildcard(one), toWildcard(other))

describe('wildcardsOverlap', () => {
  test.each([
    ['git push *', 'git push * main', true],
    ['git push *', '*prod*', true],
    ['git push *', 'git push', true],
    ['git push', 'git push *', true],
    ['git log *', 'git push *', false],
    ['a*b', 'a*c', false],
    ['a\\*', 'ab', false],
    ['*', '', true],
    ['', 'a', false],
  ])('GATE-08 %j and %j: %j', (one, other, expected) => {
    expect(overlap(one, other)).toBe(expected)
    expect(overlap(other, one)).toBe(expected)
  })

  test.each([
    ['*b c*', 'a*', false],
    ['*b*', 'a*', true],
    ['a b*', 'a b*', true],
    ['*b  *', 'a b* c', false],
  ])(
    'SHELL-07 %j and %j where a wildcard of the second holds no blank: %j',
    (one, other, expected) => {
      const isNoBlank = (unit: number) => unit !== 32
      expect(wildcardsOverlap(toWildcard(one), toWildcard(other), isNoBlank)).toBe(expected)
    },
  )

  test('GATE-08 two that match one text overlap', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', '?'), maxLength: 8 })
    fc.assert(
      fc.property(pattern, pattern, text, (one, other, value) => {
        fc.pre(wildcardMatch(one, value) && wildcardMatch(other, value))
        expect(overlap(one, other)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
