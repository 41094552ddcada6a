import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  argumentPatternProblem,
  parseArgumentPattern,
} from '../../../../src/rules/gate/arguments/argument-pattern.ts'
import { argumentMatcher } from '../../../../src/rules/gate/arguments/match-arguments.ts'
import { createRule, type Rule } from '../../../../src/rules/gate/permissions/rule.ts'

type Arguments = Record<string, unknown>

const odd = fc.constantFrom(
  'a',
  'A',
  'b.c',
  'd[0]',
  '[*]',
  "it's",
  '"',
  'e=f',
  ' ',
  '',
  '*',
  '\\',
  'toString',
  '__x',
  'é',
  '?',
)
const name = fc.oneof(odd, fc.string({ maxLength: 4 }))
const scalar = fc.oneof(
  odd,
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}))
const someArguments = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 })

const some = (piece: fc.Arbitrary<string>) =>
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const anyPattern = fc.oneof(
  some(
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[*]',
      '[0]',
      '[',
      ']',
      '=',
      '?=',
      '*',
      '?',
      ' ',
      "'",
      '\\',
      '{',
      '}',
      ',',
      '(',
      ')',
      '|',
      '!',
      '@',
      '"',
      'é',
      '1',
    ),
  ),
  fc.string(),
)
/** Patterns that mean something, made of the fields that arguments have. */
const paths = ['a', 'A', "'b.c'", "'d[0]'", "''", 'a.a', 'a[*]', 'a[0]', 'a[*].a', 'a[*][*]', "'*'"]
const globs = ['*', '', 'a', 'A', '?*', '*a*', 'null', 'true', '0', '{a,b}', "'*'"]
const condition = fc
  .tuple(fc.constantFrom(...paths), fc.constantFrom('=', '?='), fc.constantFrom(...globs))
  .map((parts) => parts.join(''))
const { near } = fc.letrec<{ near: unknown }>((tie) => ({
  near: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'A', '', 'aa', '*', null, true, 0),
    fc.array(tie('near'), { minLength: 1, maxLength: 2 }),
    fc.record({ a: tie('near') }),
  ),
}))
/** Arguments that such patterns often match. */
const nearArguments = fc.record(
  { a: near, A: near, 'b.c': near, 'd[0]': near, '': near, '*': near },
  { requiredKeys: ['a', 'b.c', 'd[0]', '', '*'] },
)
const conditions = fc.array(condition, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))

function ruleOf(pattern: string, action: Rule['action']): Rule {
  return createRule({ layer: 'worker', tool: 'server_tool', pattern, action })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

interface Leaf {
  readonly path: string
  readonly value: unknown
  /** The arguments with another value there. */
  readonly changed: (value: unknown) => Arguments
}

/** All values that are no objects or lists, with the pattern of their path. */
function leavesOf(args: Arguments): readonly Leaf[] {
  const leaves: Leaf[] = []
  const visit = (inner: unknown, path: string, keys: readonly (string | number)[]): void => {
    if (Array.isArray(inner)) {
      for (const [at, one] of inner.entries()) visit(one, `${path}[${at}]`, [...keys, at])
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, one] of Object.entries(inner)) {
        visit(one, path === '' ? quoted(key) : `${path}.${quoted(key)}`, [...keys, key])
      }
    } else
      leaves.push({
        path,
        value: inner,
        changed: (other) => withValue(args, keys, other) as Arguments,
      })
  }
  visit(args, '', [])
  return leaves
}

function withValue(
  inner: unknown,
  [key, ...rest]: readonly (string | number)[],
  other: unknown,
): unknown {
  if (key === undefined) return other
  if (Array.isArray(inner))
    return inner.map((one, at) => (at === key ? withValue(one, rest, other) : one))
  const entries = Object.entries(inner as Arguments)
  return Object.fromEntries(
    entries.map(([own, one]) => [own, own === key ? withValue(one, rest, other) : one]),
  )
}

function textOf(inner: unknown): string {
  return typeof inner === 'string' ? inner : JSON.stringify(inner)
}

describe('patterns for arguments', () => {
  test('MCP-03 any text is a pattern or is refused with words, and matching never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyPattern, conditions), someArguments, (pattern, args) => {
        const problem = argumentPatternProblem(pattern)
        expect(problem === undefined || problem.length > 5).toBe(true)
        const match = argumentMatcher(args)
        expect(match(ruleOf(pattern, 'allow'))).toMatch(/^(?:yes|no)$/)
        expect(match(ruleOf(pattern, 'deny'))).toMatch(/^(?:yes|no|perhaps)$/)
        if (problem === undefined) return
        expect(match(ruleOf(pattern, 'allow'))).toBe('no')
        expect(match(ruleOf(pattern, 'deny'))).toBe('yes')
      }),
    )
  })

  test('MCP-03 what an allow matches, a rule that denies or asks matches for certain', () => {
    const patterns = paths.flatMap((path) => globs.map((glob) => `${path}=${glob}`))
    const rules = patterns.map((one) => [ruleOf(one, 'allow'), ruleOf(one, 'deny')] as const)
    let matched = 0
    fc.assert(
      fc.property(nearArguments, (args) => {
        const match = argumentMatcher(args)
        const allowed = rules.filter(([allow]) => match(allow) === 'yes')
        matched += allowed.length
        for (const [, deny] of allowed) expect(match(deny), deny.pattern).toBe('yes')
      }),
    )
    expect(matched).toBeGreaterThan(0)
  })

  test('MCP-03 every value is reached by its path, whatever its name and depth, and no other value fits', () => {
    fc.assert(
      fc.property(someArguments, scalar, (args, other) => {
        for (const leaf of leavesOf(args)) {
          const pattern = `${leaf.path}=${quoted(textOf(leaf.value))}`
          if (parseArgumentPattern(pattern).kind === 'wrong') continue
          expect(argumentMatcher(args)(ruleOf(pattern, 'deny'))).toBe('yes')
          const isSame = textOf(other) === textOf(leaf.value)
          const changed = argumentMatcher(leaf.changed(other))(ruleOf(pattern, 'allow'))
          if (!isSame) expect(changed).toBe('no')
          const isPlain = /^[ -~]*$/.test(textOf(leaf.value)) && hasDistinctNames(args)
          if (isPlain) expect(argumentMatcher(args)(ruleOf(pattern, 'allow'))).toBe('yes')
        }
      }),
    )
  })

  test('MCP-03 a condition on each element is one on all of them for an allow, on any for a deny', () => {
    const word = fc.constantFrom('a', 'b', 'ab')
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1 }), { minLength: 1 }),
        word,
        (rows, wanted) => {
          const match = argumentMatcher({ rows })
          const all = rows.flat().every((one) => one === wanted)
          const any = rows.flat().some((one) => one === wanted)
          expect(match(ruleOf(`rows[*][*]=${wanted}`, 'allow'))).toBe(all ? 'yes' : 'no')
          expect(match(ruleOf(`rows[*][*]=${wanted}`, 'deny'))).toBe(any ? 'yes' : 'no')
        },
      ),
    )
  })
})

/** No two names of an object differ by case or encoding alone, of which an allow takes neither. */
function hasDistinctNames(inner: unknown): boolean {
  if (typeof inner !== 'object' || inner === null) return true
  const names = Array.isArray(inner) ? [] : Object.keys(inner)
  const forms = new Set(names.map((one) => one.normalize('NFKC').toUpperCase().toLowerCase()))
  return forms.size === names.length && Object.values(inner).every(hasDistinctNames)
}
