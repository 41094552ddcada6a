import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../src/domain/verdict.ts'
import { evaluateCall } from '../../../src/rules/gate/gate.ts'
import type { PastCall } from '../../../src/rules/gate/replay/past-call.ts'
import { reevaluate } from '../../../src/rules/gate/replay/rejudge.ts'
import { Tally } from '../../../src/rules/gate/replay/tally.ts'
import { findTool } from '../../../src/rules/tools/registry.ts'
import { attacks } from './shell/attacks.ts'
import { factsOf } from './support/judge-with.ts'
import { policyOf } from './support/policy-of.ts'

function past(call: Partial<PastCall> = {}): PastCall {
  return {
    at: new Date(0),
    worker: 'default',
    tool: 'bash',
    arguments: '{"command":"git log"}',
    verdict: 'ask',
    answer: 'approved',
    decidedBy: 'console:ada',
    callerId: 'console:ada',
    trace: [],
    ...call,
  }
}

const allowing = factsOf({ permissions: { bash: { '*': 'ask', 'git log *': 'allow' } } })

describe('rejudge', () => {
  test('APPR-12 says what other rules would have said, and which rule does', () => {
    expect(reevaluate(past(), allowing)).toMatchObject({
      kind: 'judged',
      before: 'ask',
      after: 'allow',
      by: 'worker: bash "git log *" allow',
    })
  })

  test.each<[string, Partial<PastCall>]>([
    ['secrets were taken out', { arguments: '{"command":"curl -H [redacted:bearer] x"}' }],
    ['secrets were taken out', { tool: 'fetch', arguments: '{"url":"https://a.b/?k=[redacted]"}' }],
    ['were cut, or are no JSON', { arguments: '{"command":"git lo' }],
    ['not recorded', { arguments: undefined }],
    ['no such tool', { tool: 'gone' }],
    ['do not fit', { arguments: '{"cmd":"ls"}' }],
    ['was cut', { tool: 'fetch', arguments: '{"url":"https://a.example/b…"}' }],
  ])('APPR-12 %s: it is uncertain, and nothing is guessed', (why, call) => {
    expect(reevaluate(past(call), allowing)).toMatchObject({
      kind: 'uncertain',
      why: expect.stringContaining(why),
    })
  })

  test('APPR-12 what no rule decided stays as it was', () => {
    const trace = [{ check: 'quota', action: 'deny', reason: 'quota_blocked' }] as const
    const quota = reevaluate(past({ verdict: 'deny', trace }), allowing)
    expect(quota).toMatchObject({ before: 'deny', after: 'deny', by: 'quota_blocked' })
    const wrong = past({ verdict: 'deny', trace, arguments: 'nonsense' })
    expect(reevaluate(wrong, allowing)).toMatchObject({ before: 'deny', after: 'deny' })
  })

  test('APPR-12 what was granted to the caller then still counts, but never past a deny', () => {
    const rule = 'session: bash "git push \\"a\\" *" allow'
    const trace = [{ check: 'permissions', action: 'allow', reason: '', rule }] as const
    const call = past({
      arguments: '{"command":"git push \'\\"a\\"\' b"}',
      verdict: 'allow',
      trace,
    })
    expect(reevaluate(call, allowing)).toMatchObject({ after: 'allow', by: rule })
    expect(reevaluate({ ...call, trace: [] }, allowing)).toMatchObject({ after: 'ask' })
    const denying = factsOf({ permissions: { bash: { 'git push *': 'deny' } } })
    expect(reevaluate(call, denying)).toMatchObject({ after: 'deny' })
  })

  test('APPR-12 POL-01 the policy is judged anew, so that one that was loosened or switched off shows', () => {
    const trace = [
      { check: 'policy', action: 'deny', reason: 'policy forbids it', rule: 'rule[0] deny' },
    ] as const
    const call = past({ verdict: 'deny', answer: undefined, trace })
    expect(reevaluate(call, allowing)).toMatchObject({ before: 'deny', after: 'allow' })
    const policy = policyOf([{ effect: 'deny', tool: 'bash' }])
    expect(reevaluate(past(), { ...allowing, policy })).toMatchObject({
      after: 'deny',
      by: 'rule[0] deny: tool=bash',
    })
  })

  test.each([{ trustLevel: 'quarantined' as const }, { env: ['CI'] }])(
    'APPR-12 POL-01 a policy that asks of its tool what nobody recorded makes it uncertain: %j',
    (asked) => {
      const policy = policyOf([{ effect: 'deny', tool: 'bash', ...asked }])
      expect(reevaluate(past(), { ...allowing, policy })).toMatchObject({ kind: 'uncertain' })
      const read = past({ tool: 'read', arguments: '{"path":"a"}' })
      expect(reevaluate(read, { ...allowing, policy })).toMatchObject({ kind: 'judged' })
    },
  )

  test('APPR-12 GATE-07 canonical paths that were found then count', () => {
    const facts = factsOf({ permissions: { read: { '*': 'allow', '*.env': 'deny' } } })
    const call = past({ tool: 'read', arguments: '{"path":"notes"}', verdict: 'deny' })
    expect(reevaluate(call, facts)).toMatchObject({ after: 'allow' })
    expect(reevaluate({ ...call, canonical: ['/workspace/.env'] }, facts)).toMatchObject({
      after: 'deny',
    })
  })

  test('APPR-12 by the same rules nothing changes', () => {
    const pattern = fc.constantFrom('*', 'git *', 'rm *', 'cat *', 'curl *')
    const rules = fc.dictionary(pattern, fc.constantFrom<Action>('allow', 'ask', 'deny'))
    const command = fc.constantFrom(...attacks.map(([text]) => text).filter((text) => text !== ''))
    const spec = findTool('bash')
    if (spec === undefined) throw new Error('there is no bash')
    fc.assert(
      fc.property(rules, command, (bash, text) => {
        const facts = factsOf({ permissions: { bash } })
        const args = { command: text }
        const { action, trace } = evaluateCall({ spec, args }, facts)
        const call = past({ arguments: JSON.stringify(args), verdict: action, trace })
        expect(reevaluate(call, facts)).toMatchObject({ before: action, after: action })
      }),
      { numRuns: 200 },
    )
  })
})

describe('Tally', () => {
  test('APPR-12 counts every call once, in bounded memory, and keeps three examples a group', () => {
    const tally = new Tally()
    const changed = (by: string) =>
      ({ kind: 'judged', before: 'ask', after: 'allow', by, verdict: undefined }) as const
    for (let index = 0; index < 500; index += 1) tally.add(past(), changed(`rule ${index % 250}`))
    tally.add(past(), { kind: 'uncertain', why: 'a' })
    tally.add(past(), { kind: 'uncertain', why: 'a' })
    const same = { kind: 'judged', before: 'deny', after: 'deny', by: '' } as const
    tally.add(past(), { ...same, verdict: undefined })
    const { calls, unchanged, uncertain, changes } = tally.report()
    expect({ calls, unchanged, uncertain }).toEqual({
      calls: 503,
      unchanged: { allow: 0, ask: 0, deny: 1 },
      uncertain: { a: 2 },
    })
    expect(changes).toHaveLength(1)
    expect(changes[0]).toMatchObject({ count: 500, answers: { approved: 500 } })
    expect(changes[0]?.groups).toHaveLength(100)
    expect(changes[0]?.groups[0]?.examples).toHaveLength(2)
  })
})
