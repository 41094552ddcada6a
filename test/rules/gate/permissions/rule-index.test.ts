import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createRule,
  matchesText,
  type Rule,
  type RuleText,
} from '../../../../src/rules/gate/permissions/rule.ts'
import {
  firstWord,
  requiredSegment,
  rulesForPath,
  rulesForText,
} from '../../../../src/rules/gate/permissions/rule-index.ts'
import { toPathForms } from '../../../../src/shared/paths/path-forms.ts'
import { matchesPath } from '../../../../src/shared/paths/path-rule.ts'

const piece = fc.constantFrom(
  ...[
    'git',
    'Git',
    'rm',
    'push',
    ' ',
    '  ',
    '*',
    ' *',
    '?',
    '\\',
    '\\ *',
    '/',
    'é',
    'e\u0301',
    'K',
  ],
)
const segment = fc.constantFrom(
  ...['src', 'SRC', 'a', 'b.ts', '.env', '*', '**', '?', '[ab]', '{a,src}', '@(a|b)', '.', '..'],
  ...['\\a', 'pri*', 'Σ', 'ς', '\u212a', 'k', 'e\u0301', 'é', '', '~', '*.ts'],
)
const layer = fc.constantFrom('agent' as const, 'operator' as const, 'worker' as const)
const action = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const)

function rulesOf(tool: string, pattern: fc.Arbitrary<string>): fc.Arbitrary<Rule[]> {
  const text: fc.Arbitrary<RuleText> = fc.record({
    layer,
    action,
    tool: fc.constant(tool),
    pattern: pattern.filter((text) => text !== ''),
  })
  return fc.array(text.map(createRule), { minLength: 9, maxLength: 24 })
}

const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
const path = fc
  .tuple(fc.constantFrom('', '/', './', '/workspace/'), fc.array(segment, { maxLength: 4 }))
  .map(([start, segments]) => start + segments.join('/'))

describe('rules looked up by what they have in common with a value', () => {
  test('PERF-01 GATE-02 for a command the rules that match are the same and in the same order', () => {
    fc.assert(
      fc.property(rulesOf('bash', text), text, (rules, value) => {
        const matches = (rule: Rule): boolean => matchesText(rule, value)
        const candidates = rulesForText(rules, [firstWord(value)])
        expect(candidates.filter(matches)).toEqual(rules.filter(matches))
      }),
      { numRuns: 600 },
    )
  })

  test('PERF-01 GATE-07 for a path too, in whatever form it is given', () => {
    fc.assert(
      fc.property(rulesOf('read', path), path, (rules, given) => {
        const forms = toPathForms(given, '/workspace')
        const matches = (rule: Rule): boolean => matchesPath(rule, forms)
        expect(rulesForPath(rules, forms.names).filter(matches)).toEqual(rules.filter(matches))
      }),
      { numRuns: 600 },
    )
  })

  test('PERF-01 rules that speak of something else are left out', () => {
    const rules = Array.from({ length: 500 }, (_, index) =>
      createRule({ layer: 'worker', tool: 'bash', pattern: `tool${index} *`, action: 'deny' }),
    )
    expect(rulesForText(rules, ['tool7']).map(({ pattern }) => pattern)).toEqual(['tool7 *'])
    expect(rulesForText(rules, ['ls'])).toEqual([])
    const two = rulesForText(rules, ['tool9', 'tool7']).map(({ pattern }) => pattern)
    expect(two).toEqual(['tool7 *', 'tool9 *'])
    const paths = rules.map(({ action, layer }, index) =>
      createRule({ layer, tool: 'read', pattern: `**/private${index}/*.ts`, action }),
    )
    const { names } = toPathForms('src/PRIVATE7/a.ts', '/workspace')
    expect(rulesForPath(paths, names).map(({ pattern }) => pattern)).toEqual(['**/private7/*.ts'])
  })

  test.each([
    ['**/private/*.ts', 'private'],
    ['src/*', 'src'],
    ['src/**', 'src'],
    ['a/longer/**', 'longer'],
    ['*.env', undefined],
    ['*/b', 'b'],
    ['*b', undefined],
    ['[ab]/c?', undefined],
    ['.', undefined],
    ['..', undefined],
    ['\\a/b', undefined],
  ])('PERF-01 every path that fits %j has the name %j', (pattern, name) => {
    expect(requiredSegment(pattern)).toBe(name)
  })

  test('PERF-01 GATE-07 the short way to a plain path gives the same forms as the long one', () => {
    const plain = fc
      .array(fc.constantFrom('a', 'B', 'c.ts', '-x', 'x..y', '_'), { minLength: 1, maxLength: 4 })
      .map((names) => names.join('/'))
    fc.assert(
      fc.property(plain, (given) => {
        const short = toPathForms(given, '/workspace/one')
        // A dot in front is not plain, and means the same.
        const long = toPathForms(`./${given}`, '/workspace/one')
        expect(short.absolute).toBe(long.absolute)
        expect(short.relative).toBe(long.relative)
        expect(short.inWorkspace).toBe(true)
        expect(short.foldedSegments).toEqual(long.foldedSegments)
        const forms = long.folded.filter((form) => form !== `./${given.toLowerCase()}`)
        expect(new Set(short.folded)).toEqual(new Set(forms))
        expect(long.names).toEqual(expect.arrayContaining([...short.names]))
      }),
    )
  })
})
