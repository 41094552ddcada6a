import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  escapeWildcard,
  literalPrefix,
  toWildcard,
  wildcardMatch,
} from '../../../src/util/text/wildcard-match.ts'
import { processorMs } from '../../support/processor-ms.ts'

describe('wildcardMatch', () => {
  test.each([
    ['rm *', 'rm -rf build/../src', true],
    ['rm *', 'rm', true],
    ['rm *', 'rmdir x', false],
    ['git push *', 'git push', true],
    ['git push *', 'git push origin main', true],
    ['git push *', 'git pushx', false],
    ['*', '', true],
    ['*', 'a\nb', true],
    ['a*b', 'a\n\n..b', true],
    ['a?c', 'abc', true],
    ['a?c', 'a😀c', true],
    ['a?c', 'ac', false],
    ['a\\*c', 'a*c', true],
    ['a\\*c', 'abc', false],
    ['a\\?', 'a?', true],
    ['a\\\\', 'a\\', true],
    ['[ab]', 'a', false],
    ['[ab]', '[ab]', true],
    ['{a,b}', 'a', false],
    ['!(a)', 'b', false],
    ['', '', true],
    ['', 'a', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['Git', 'git', false],
  ])('GATE-08 %j against %j is %s', (pattern, value, expected) => {
    expect(wildcardMatch(pattern, value)).toBe(expected)
  })

  test('GATE-08 an escaped text matches itself and nothing else', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '*', '?', '\\', ' ', '\n', '~', '$'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(wildcardMatch(escapeWildcard(one), one)).toBe(true)
        expect(wildcardMatch(escapeWildcard(one), other)).toBe(one === other)
      }),
    )
  })

  test('GATE-08 it agrees with a plain definition on every short text', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 7 })
    const value = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 9 })
    fc.assert(
      fc.property(part, value, (pattern, text) => {
        const source = pattern.replaceAll('*', '.*').replaceAll('?', '.')
        expect(wildcardMatch(pattern, text)).toBe(new RegExp(`^(?:${source})$`, 's').test(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('THREAT-2 many stars on a long text end at once', () => {
    const took = processorMs(() =>
      expect(wildcardMatch(`${'*a'.repeat(60)}*b`, 'a'.repeat(60_000))).toBe(false),
    )
    expect(took).toBeLessThan(1_000)
  })

  test('GATE-08 the text before the first wildcard is known', () => {
    expect(literalPrefix(toWildcard('python -m pytest *'))).toBe('python -m pytest ')
    expect(literalPrefix(toWildcard('a\\*b'))).toBe('a*b')
  })
})
