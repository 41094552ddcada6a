import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, test } from 'vitest'
import { compileGlob } from '../../../src/shared/glob/compile-glob.ts'
import { parseGlob } from '../../../src/shared/glob/parse-glob.ts'
import {
  escapePathGlob,
  literalPath,
  loneBracketProblem,
  pathPatternProblem,
  toPathGlob,
} from '../../../src/shared/glob/path-glob.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { oddToPicomatch, path, pattern, picomatches } from './like-picomatch.ts'

const matches = (pattern: string, path: string) => toPathGlob(pattern)?.(path)

describe('path patterns', () => {
  test.each([
    ['*.env', '.env', true],
    ['*.env', 'a/b/.env', true],
    ['*.env', 'a/b.envx', false],
    ['src', 'src', true],
    ['src', 'src/a/b', true],
    ['src', 'src-evil', false],
    ['src/', 'src/a', true],
    ['./src/a', 'src/a', true],
    ['src/**', 'src', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'srcx', false],
    ['s?c/**', 'src', true],
    ['**/x.ts', 'x.ts', true],
    ['**/x.ts', 'a/b/x.ts', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['*/**', 'a', false],
    ['a?b', 'a/b', false],
    ['a?b', 'axb', true],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[!a-c].ts', 'd.ts', true],
    ['[^a-c].ts', 'd.ts', true],
    ['[!a-c]ts', '/ts', false],
    ['[[:digit:]]x', '5x', true],
    ['[[:xdigit:][:punct:]]x', '-x', true],
    ['[]x]', ']x', false],
    ['[]x]', 'x', true],
    ['[]x', '[]x', true],
    ['a[b', 'a[b', true],
    ['a[b/c', 'a[b/c', true],
    ['a{b', 'a{b', true],
    ['a(b', 'a(b', true],
    ['a*(b', 'axx(b', true],
    ['}', '}', true],
    ['a)b]', 'a)b]', true],
    ['a\\', 'a\\', true],
    ['[a-]', '-', true],
    ['{a,b}/x', 'b/x', true],
    ['{a,{b,c}}', 'c', true],
    ['{a}', '{a}', true],
    ['{a}', '{a}/b', true],
    ['f{1..3}', 'f2', true],
    ['f{1..3}', 'f4', false],
    ['f{1..12}', 'f11', true],
    ['{a..c}', 'b', true],
    ['(prod|stage).key', 'prod.key', true],
    ['(prod|stage).key', '(prod|stage).key', false],
    ['@(a|b)c', 'bc', true],
    ['+(ab)', 'abab', true],
    ['+(ab)', '', false],
    ['x*(ab)', 'x', true],
    ['x?(ab)', 'xabab', false],
    ['app/\\(group\\)/page', 'app/(group)/page', true],
    ['app/\\(group\\)/page', 'app/group/page', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['c++', 'c++/a.cc', true],
    ['/', '/etc', true],
    ['*', 'a/b', true],
  ])('GATE-08 %j against %j is %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  test.each([
    ['', 'empty'],
    ['!src', 'begin with "!"'],
    ['a/!(b)', '"!("'],
    ['a'.repeat(257), '256 characters'],
    ['a/*b*c*d*', '3 stars'],
    ['{1..1000}', 'span'],
    ['{01..10}', 'span'],
    ['{1..9..2}', 'span'],
    ['{-1..3}', 'span'],
    ['{a..Z}', 'span'],
    ['app/(group)/page', '"\\(" and "\\)"'],
    ['((a|b)', 'has no ")"'],
    ['a|b', 'separates nothing'],
    ['{a|b,c}', 'separates nothing'],
    ['{a,{b}', 'has no "}"'],
    ['[a/b]', '"/" cannot stand'],
    ['[[:nope:]]', 'not a class'],
    ['[[.a.]]', 'not a class'],
    ['[z-a]', 'backwards'],
    ['a\0b', 'NUL'],
    ['{1..99}'.repeat(20), 'too much'],
    [`${'@('.repeat(40)}a${')'.repeat(40)}`, 'too deeply'],
  ])('GATE-08 the pattern %j is rejected', (pattern, why) => {
    expect(pathPatternProblem(pattern)).toContain(why)
  })

  test('GATE-08 stars are counted for each segment', () => {
    expect(pathPatternProblem('*a*b*/*c*d*')).toBeUndefined()
  })

  test('GATE-08 an escaped path matches itself', () => {
    const sign = fc.constantFrom(...'ab/*?[]{}!@+()|,\\. ')
    fc.assert(
      fc.property(fc.string({ unit: sign, minLength: 1 }), (path) => {
        fc.pre(!(path.length > 1 && path.endsWith('/')) && !path.startsWith('./'))
        expect(matches(escapePathGlob(path), path)).toBe(true)
        expect(literalPath(escapePathGlob(path))).toBe(path)
      }),
    )
  })
})

describe('compared with picomatch, options dot and bash', () => {
  test('GATE-08 an accepted pattern matches as in picomatch', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, path, (glob, value) => {
        fc.pre(!oddToPicomatch.test(glob) && pathPatternProblem(glob) === undefined)
        compared += 1
        expect([glob, value, matches(glob, value)]).toEqual([glob, value, picomatches(glob, value)])
      }),
      { numRuns: 1500, interruptAfterTimeLimit: 2_000 },
    )
    // A busy machine reaches fewer within the time of a property.
    expect(compared).toBeGreaterThan(10)
  })

  test('GATE-08 CONF-02 configuration rejects unbalanced brackets', () => {
    for (const glob of ['a[', 'a(b', 'a)', 'a]']) {
      expect(loneBracketProblem(glob)).toBeDefined()
      expect(() => picomatch.makeRe(glob, { strictBrackets: true })).toThrow()
    }
    for (const glob of ['a[b]', '(a|b)', '{a}', 'a\\)']) {
      expect(loneBracketProblem(glob)).toBeUndefined()
    }
  })
})

describe('matching', () => {
  const odd = fc.string({
    unit: fc.constantFrom(...'ab/*?[]{}!@+()|,\\.-^:1é\ud83d'),
    maxLength: 40,
  })

  test('GATE-08 any pattern is either rejected or matched, without an exception', () => {
    fc.assert(
      fc.property(odd, odd, fc.boolean(), (pattern, path, starCrosses) => {
        const parsed = parseGlob(pattern, { starCrosses })
        if (parsed.kind === 'refused') expect(parsed.why).not.toBe('')
        else expect(typeof compileGlob(parsed.nodes, 'exact')(path)).toBe('boolean')
        const isUsable = toPathGlob(pattern) !== undefined
        if (pathPatternProblem(pattern) === undefined) expect(isUsable).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  test('GATE-08 a matcher with cached state answers like a fresh one', () => {
    const parts = fc.constantFrom('a', 'b', '.env', 'é', '😀', '\ud83d', '/', '/', '')
    const path = fc.array(parts, { maxLength: 6 }).map((chosen) => chosen.join(''))
    const pattern = fc.constantFrom('**/?', 'a/[^a]*', '**/é?*', '{😀,b}/**', '?/?', '+(a|b)/*')
    fc.assert(
      fc.property(pattern, fc.array(path, { maxLength: 12 }), (glob, paths) => {
        const used = toPathGlob(glob)
        for (const each of paths) expect(used?.(each)).toBe(matches(glob, each))
      }),
      { numRuns: 1000 },
    )
  })

  test('THREAT-2 stars and groups on a long path take linear time', () => {
    const path = 'a'.repeat(4_096)
    const took = processorMs(() => {
      expect(matches('*a*a*b', path)).toBe(false)
      expect(matches('+(a|aa)*(a|aa)+(aa|a)b', path)).toBe(false)
      expect(matches('+(+(+(a)))b', path)).toBe(false)
      expect(matches(`${'{1..99}'.repeat(7)}*a*b`, path)).toBe(false)
    })
    expect(took).toBeLessThan(1_000)
  })

  test('FILE-04 with `*` bound to a segment only two stars cross directories', () => {
    const plain = (pattern: string, path: string) => {
      const parsed = parseGlob(pattern, { starCrosses: false })
      return parsed.kind === 'glob' && compileGlob(parsed.nodes, 'exact')(path)
    }
    expect(plain('src/*.ts', 'src/a/b.ts')).toBe(false)
    expect(plain('src/**/*.ts', 'src/a/b.ts')).toBe(true)
    expect(plain('src/**/*.ts', 'src/b.ts')).toBe(true)
    expect(plain('**', 'a/b/c')).toBe(true)
  })
})

describe('case', () => {
  const folded = (pattern: string, path: string) => toPathGlob(pattern, 'folded')?.(path)
  const widely = (pattern: string, path: string) => toPathGlob(pattern, 'folded widely')?.(path)

  test.each([
    ['*.Env', 'a/.env'],
    ['[[:upper:]]*.key', 'prod.key'],
    ['[A-Z]x', 'qx'],
    ['?\u0045\u0301', 'aé'],
    ['ΟΔΟΣ', 'οδοσ'],
  ])('GATE-07 %j matches the folded path %j', (pattern, path) => {
    expect(folded(pattern, path)).toBe(true)
    expect(widely(pattern, path)).toBe(true)
  })

  test('GATE-07 a set that excludes capitals still denies lower case, and allows no more than before', () => {
    expect(matches('[!A-Z]*.key', 'prod.key')).toBe(true)
    expect(widely('[!A-Z]*.key', 'prod.key')).toBe(true)
    expect(folded('[!A-Z]*.key', 'prod.key')).toBe(false)
  })
})
