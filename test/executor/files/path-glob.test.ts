import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { compilePathGlob } from '../../../src/executor/files/path-glob.ts'
import { processorMs } from '../../support/processor-ms.ts'

const bash = { starCrosses: true, ignoreCase: false }
const plain = { starCrosses: false, ignoreCase: false }

const corpus = [
  '*.env',
  '*.env.*',
  '.env',
  '**/.env',
  '**/*.env',
  'src/**',
  'src/**/*.ts',
  'src/*.ts',
  '/etc/shadow',
  '/root/*',
  '/home/*/.ssh/*',
  '/home/*/.ssh/**',
  '*credentials*',
  '*secret*',
  '*.{js,ts}',
  'a?c',
  '[ab]*.txt',
  '[^ab]x',
  'file{1..3}.txt',
  '@(a|b)/c',
  '+(ab)',
  '\\*literal',
  '*id_rsa*',
  '**',
  '*',
  './src/a',
  '[[:alpha:]]x',
]
const paths = [
  '.env',
  'a/.env',
  'x.env',
  'x.env.local',
  'src',
  'src/a.ts',
  'src/b/c.ts',
  'src/a.js',
  '/etc/shadow',
  '/etc/shadow2',
  '/root/x',
  '/root',
  '/home/ada/.ssh/id_rsa',
  '/home/ada/.ssh',
  'my-credentials.json',
  'secret',
  'abc',
  'a/c',
  'b/c',
  'a.txt',
  'b.txt',
  'c.txt',
  'cx',
  'ax',
  'file2.txt',
  'file9.txt',
  'abab',
  '*literal',
  'xliteral',
  'src/a',
]

test.each(corpus)('GATE-08 %s matches what picomatch matches', (pattern) => {
  const theirs = picomatch(pattern, { dot: true, bash: true })
  const ours = compilePathGlob(pattern, bash)
  for (const path of paths) expect([path, ours(path)]).toEqual([path, theirs(path)])
})

// Where picomatch departs from bash: `[!a]` (a class of `!` and `a` there), and a `/**` right behind or before a star.
const pieces = fc.constantFrom('a', 'b', '/', '*', '?', '.', '.env', '{a,b}', '[ab]', '-', '@(a|b)')
const globs = fc
  .tuple(fc.constantFrom('', '**/', 'a/**/', '/'), fc.array(pieces, { minLength: 1, maxLength: 6 }))
  .map(([lead, parts]) => lead + parts.join(''))
  .filter((pattern) => !/\/\/|\*\*\/?\*|\*{3}|\/$|^a\/\*\*\/\*|\*@|\?@|\)[?*]/.test(pattern))
const names = fc
  .array(fc.constantFrom('a', 'b', '/', '.', '.env', '-', 'ab'), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(''))
  .filter((path) => !/\/\/|\/$|(^|\/)\.\.?(\/|$)/.test(path))

test('GATE-08 generated patterns match what picomatch matches', () => {
  fc.assert(
    fc.property(globs, names, (pattern, path) => {
      const theirs = picomatch(pattern, { dot: true, bash: true })(path)
      expect(compilePathGlob(pattern, bash)(path)).toBe(theirs)
    }),
    { numRuns: 5000 },
  )
})

test('GATE-08 a matcher that has seen other paths, of one directory or of many, answers as a fresh one', () => {
  const parts = fc.constantFrom('a', 'b', '.env', 'é', '😀', '\ud83d', '/', '/', '')
  const path = fc.array(parts, { maxLength: 6 }).map((chosen) => chosen.join(''))
  const pattern = fc.oneof(globs, fc.constantFrom('**/?', 'a/[^a]*', '**/é*', '{😀,b}/**', '?/?'))
  fc.assert(
    fc.property(pattern, fc.array(path, { maxLength: 12 }), fc.boolean(), (glob, paths, isOurs) => {
      const options = isOurs ? bash : plain
      const used = compilePathGlob(glob, options)
      for (const each of paths) expect(used(each)).toBe(compilePathGlob(glob, options)(each))
    }),
    { numRuns: 2000 },
  )
})

test('GATE-08 `[!a]` negates, as in bash', () => {
  expect(compilePathGlob('[!a]x', bash)('bx')).toBe(true)
  expect(compilePathGlob('[!a]x', bash)('ax')).toBe(false)
})

test('FILE-04 with `*` bound to a name only two stars cross directories', () => {
  expect(compilePathGlob('src/*.ts', plain)('src/a/b.ts')).toBe(false)
  expect(compilePathGlob('src/**/*.ts', plain)('src/a/b.ts')).toBe(true)
  expect(compilePathGlob('src/**/*.ts', plain)('src/b.ts')).toBe(true)
  expect(compilePathGlob('**', plain)('a/b/c')).toBe(true)
})

test('GATE-07 case is folded when asked', () => {
  expect(compilePathGlob('*.Env', { starCrosses: true, ignoreCase: true })('A/.ENV')).toBe(true)
})

test('GATE-08 any pattern either compiles or throws a RangeError, and matching never throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (pattern, path) => {
      try {
        compilePathGlob(pattern, bash)(path)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
    { numRuns: 3000 },
  )
})

test('GATE-08 matching is linear where a backtracking matcher would not end', () => {
  const matches = compilePathGlob(`${'*a'.repeat(100)}*b`, bash)
  const took = processorMs(() => {
    expect(matches('a'.repeat(4000))).toBe(false)
    expect(matches('+(+(+(a)))'.repeat(300))).toBe(false)
    expect(compilePathGlob('+(+(+(a)))b', bash)('a'.repeat(4000))).toBe(false)
  })
  expect(took).toBeLessThan(5000)
})
