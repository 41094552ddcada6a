import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../../src/domain/verdict.ts'
import { decidePolicy } from '../../../../src/rules/gate/policy/decide-policy.ts'
import { judgeWith } from '../support/judge-with.ts'
import { policyOf, type RuleInput } from '../support/policy-of.ts'

const rank: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

const rule: fc.Arbitrary<RuleInput> = fc.record(
  {
    effect: fc.constantFrom('allow' as const, 'deny' as const),
    tool: fc.constantFrom('*', 'bash', 'read', 're*', 'fetch'),
    paths: fc.constantFrom([], ['src/**'], ['*.env'], ['a', 'b'], ['/etc/*'], ['*']),
    argsMatch: fc.constantFrom('git', '^git ', 'a|b', 'env', '.', '^$'),
    env: fc.constantFrom([], ['CI'], ['OTHER']),
  },
  { requiredKeys: ['effect', 'tool'] },
)
const rules = fc.array(rule, { maxLength: 5 })
const effect = fc.constantFrom('allow' as const, 'deny' as const)

const words = fc.constantFrom('git', 'status', 'src/a', '.env', 'a', '../b', '$x', '"b"', '-la')
const joints = fc.constantFrom(' ', ' ', ' ; ', ' | ', ' > ', ' && ')
const command = fc
  .array(fc.tuple(words, joints), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().slice(0, -1).join(''))
const call: fc.Arbitrary<readonly [string, Record<string, unknown>]> = fc.oneof(
  command.map((text) => ['bash', { command: text }] as const),
  fc
    .constantFrom('src/a', '.env', 'x/../a', '/etc/passwd')
    .map((path) => ['read', { path }] as const),
  fc.constantFrom('https://a.example').map((url) => ['fetch', { url }] as const),
)
const permissions = fc.constantFrom(
  { '*': 'allow' },
  { '*': 'ask' },
  { bash: { '*': 'ask', 'git *': 'allow', 'cat *': 'deny' }, read: 'allow' },
)

describe('policy, whatever its rules', () => {
  const variables = new Set(['CI'])

  test('POL-01 adding a deny rule anywhere never makes a call less strictly judged', () => {
    fc.assert(
      fc.property(
        rules,
        rule,
        fc.nat(5),
        effect,
        call,
        permissions,
        (list, added, at, byDefault, [tool, args], file) => {
          const judged = (given: readonly RuleInput[]) =>
            judgeWith(tool, args, {
              permissions: file,
              facts: { policy: policyOf(given, byDefault), variables },
            }).action
          const more = list.toSpliced(at, 0, { ...added, effect: 'deny' })
          expect(rank[judged(more)]).toBeGreaterThanOrEqual(rank[judged(list)])
        },
      ),
      { numRuns: 300 },
    )
  })

  test('POL-01 a policy never makes a verdict milder than it is without one', () => {
    fc.assert(
      fc.property(rules, effect, call, permissions, (list, byDefault, [tool, args], file) => {
        const policy = policyOf(list, byDefault)
        const bare = judgeWith(tool, args, { permissions: file })
        const judged = judgeWith(tool, args, { permissions: file, facts: { policy, variables } })
        expect(rank[judged.action]).toBeGreaterThanOrEqual(rank[bare.action])
        if (judged.action !== 'deny') expect(judged.action).toBe(bare.action)
      }),
      { numRuns: 300 },
    )
  })

  test('POL-01 the first rule that matches by itself is the one that decides', () => {
    const context = { variables, trust: new Map() }
    const asked = fc.constantFrom('a', 'git x', 'env').map((text) => ({
      tool: 'read',
      paths: () => ({ each: [], any: [], isKnown: true, isCut: false }),
      texts: () => ({ each: [text], any: [text], isKnown: true, isCut: false }),
    }))
    fc.assert(
      fc.property(rules, asked, (list, question) => {
        const alone = list.map((one) => decidePolicy(policyOf([one]), question, context).trace)
        const first = alone.findIndex((trace) => trace !== undefined)
        const { trace } = decidePolicy(policyOf(list), question, context)
        expect(trace?.replace(/\d+/, '0')).toBe(alone[first])
        if (first !== -1) expect(trace).toMatch(new RegExp(`^rule\\[${first}\\] `))
      }),
    )
  })
})
