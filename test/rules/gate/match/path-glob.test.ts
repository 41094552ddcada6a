import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import {
  escapePathGlob,
  matchesPathGlob,
  pathPatternProblem,
} from '../../../../src/rules/gate/match/path-glob.ts'
import { processorMs } from '../../../support/processor-ms.ts'

describe('matchesPathGlob', () => {
  test.each([
    ['*.env', '.env', true],
    ['*.env', 'a/b/.env', true],
    ['*.env', 'a/b.envx', false],
    ['src', 'src', true],
    ['src', 'src/a/b', true],
    ['src', 'src-evil', false],
    ['src/', 'src/a', true],
    ['src/**', 'src', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'srcx', false],
    ['s?c/**', 'src', true],
    ['**/x.ts', 'x.ts', true],
    ['**/x.ts', 'a/b/x.ts', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['a?b', 'a/b', false],
    ['a?b', 'axb', true],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[!a-c].ts', 'd.ts', true],
    ['[^a-c].ts', 'd.ts', true],
    ['[[:digit:]]x', '5x', true],
    ['[]x', '[]x', true],
    ['a[b', 'a[b', true],
    ['{a,b}/x', 'b/x', true],
    ['{a,{b,c}}', 'c', true],
    ['{a}', '{a}', true],
    ['a{b', 'a{b', true],
    ['f{1..3}', 'f2', true],
    ['f{1..3}', 'f4', false],
    ['f{1..12}', 'f11', true],
    ['{a..c}', 'b', true],
    ['@(a|b)c', 'bc', true],
    ['+(ab)', 'abab', true],
    ['+(ab)', '', false],
    ['x*(ab)', 'x', true],
    ['x?(ab)', 'xabab', false],
    ['app/(group)/page', 'app/(group)/page', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['/', '/etc', true],
    ['*', 'a/b', true],
  ])('GATE-08 %j against %j is %s', (pattern, path, expected) => {
    expect(matchesPathGlob(pattern, path)).toBe(expected)
  })

  test('GATE-08 it reads stars, question marks and braces as picomatch does with dot and bash', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 3 })
    const part = fc.oneof(name, fc.constantFrom('*', '**', 'a*', '*.b', '{a,b}', '?a', '[ab]b'))
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const path = fc
      .array(
        name.filter((text) => text !== '.' && text !== '..'),
        { minLength: 1, maxLength: 4 },
      )
      .map((parts) => parts.join('/'))
    fc.assert(
      fc.property(pattern, path, (glob, value) => {
        fc.pre(/[*?{[]/.test(glob) && !/(?:^|\/)\.{1,3}(?:\/|$)/.test(`${glob}\n${value}`))
        // Beside another star, or after a dot, picomatch's `**` has ways of its own.
        fc.pre(!/\.\*|\*\.|\*\/\*|\*\*\/\?/.test(glob))
        expect(matchesPathGlob(glob, value)).toBe(picomatch(glob, { dot: true, bash: true })(value))
      }),
      { numRuns: 3000 },
    )
  })

  test('GATE-08 any pattern on any path neither throws nor hangs', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'ab/*?[]{}!@+()|,\\.-^:1'), maxLength: 40 })
    fc.assert(
      fc.property(odd, odd, (pattern, path) => {
        expect(typeof matchesPathGlob(pattern, path)).toBe('boolean')
      }),
      { numRuns: 3000 },
    )
  })

  test('THREAT-2 stars and groups on a long path end at once', () => {
    const path = 'a'.repeat(4_096)
    const took = processorMs(() => {
      expect(matchesPathGlob('*a*a*b', path)).toBe(false)
      expect(matchesPathGlob('+(a|aa)*(a|aa)+(aa|a)b', path)).toBe(false)
    })
    expect(took).toBeLessThan(1_000)
  })

  test('GATE-08 an escaped path matches itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab/*?[]{}!@+()|,\\. '), minLength: 1 }),
        (path) => {
          fc.pre(!(path.length > 1 && path.endsWith('/')))
          expect(matchesPathGlob(escapePathGlob(path), path)).toBe(true)
        },
      ),
    )
  })

  test.each([
    ['', 'empty'],
    ['!src', 'begin with "!"'],
    ['a/!(b)', '"!("'],
    ['a'.repeat(257), '256 characters'],
    ['a/*b*c*d*', '3 stars'],
    ['{1..1000}', 'span'],
  ])('GATE-08 the pattern %j is refused when it is loaded', (pattern, why) => {
    expect(pathPatternProblem(pattern)).toContain(why)
  })

  test('GATE-08 stars count by segment', () => {
    expect(pathPatternProblem('*a*b*/*c*d*')).toBeUndefined()
  })
})
