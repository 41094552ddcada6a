import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../../src/domain/verdict.ts'
import { explain } from '../../../../src/rules/gate/explain/explain.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../../../../src/rules/gate/gate.ts'
import type { Review, ReviewRules } from '../../../../src/rules/gate/review/review.ts'
import {
  fromStoredReview,
  toStoredReview,
} from '../../../../src/rules/gate/review/stored-review.ts'
import { factsOf, type Setting, specOf } from '../support/judge-with.ts'

const rules: ReviewRules = {
  reviewer: 'somebody',
  blockOnReject: true,
  failOpen: false,
  exemptTools: [],
}
const strictness: Record<Action, number> = { allow: 0, ask: 1, deny: 2 }
const said = (outcome: Review['outcome']): Review => ({ outcome, reason: 'it is odd', by: 'small' })

function judged(
  setting: Setting,
  review: Review | undefined,
  reviews: ReviewRules | undefined = rules,
  tool = 'bash',
) {
  const call: GateCall = {
    spec: specOf(tool),
    args: { command: 'git push', path: 'a' },
    ...(review === undefined ? {} : { review }),
  }
  const facts: GateFacts = { ...factsOf(setting), reviews }
  return evaluateCall(call, facts)
}

const by = (action: Action): Setting => ({
  permissions: { bash: { '*': 'ask', 'git push': action } },
})

describe('the review among the checks of the gate', () => {
  test('POL-05 a call without a review keeps what the other checks say, and is marked', () => {
    for (const action of ['allow', 'ask'] as const) {
      const verdict = judged(by(action), undefined)
      expect(verdict).toMatchObject({ action, unreviewed: true })
      expect(verdict.trace.at(-1)).toEqual({
        check: 'adversarial',
        action: 'allow',
        reason: 'a second model reviews it first',
      })
    }
  })

  test('POL-05 what others deny, exempt tools, and all of them while it is off, need no review', () => {
    const without = [
      judged(by('deny'), undefined),
      judged(by('allow'), undefined, { ...rules, exemptTools: ['read', 'ba*'] }),
      evaluateCall({ spec: specOf('bash'), args: { command: 'git push' } }, factsOf(by('allow'))),
    ]
    for (const verdict of without) {
      expect(verdict.unreviewed).toBeUndefined()
      expect(verdict.trace.map(({ check }) => check)).not.toContain('adversarial')
    }
  })

  test('POL-05 a rejected call is denied, with a reason for the model that tells nothing; the trace has the reviewer’s', () => {
    for (const outcome of ['reject', 'failed'] as const) {
      const verdict = judged(by('ask'), said(outcome))
      expect(verdict).toMatchObject({ action: 'deny', reasons: ['policy forbids it'] })
      expect(verdict.alwaysPatterns).toEqual([])
      expect(verdict.trace.at(-1)?.rule).toMatch(/^small: (?:reject|no review): it is odd$/)
    }
  })

  test('POL-05 with block_on_reject = false a person is asked, is told why, and is offered no Always', () => {
    const verdict = judged(by('allow'), said('reject'), { ...rules, blockOnReject: false })
    expect(verdict).toMatchObject({ action: 'ask', risk: 'high', alwaysPatterns: [] })
    expect(verdict.reasons).toEqual(['the adversarial review by small objects: it is odd'])
    expect(verdict.unreviewed).toBeUndefined()
    const asked = judged(by('ask'), said('failed'), { ...rules, blockOnReject: false })
    expect(asked.reasons).toHaveLength(2)
    expect(asked.reasons[1]).toBe('the adversarial review by small failed: it is odd')
  })

  test('POL-05 neither a grant nor a gate that is switched off takes an objection back', () => {
    const asking = { ...rules, blockOnReject: false }
    const granted: Setting = {
      ...by('ask'),
      session: [{ tool: 'bash', pattern: 'git push', id: 'g' }],
    }
    expect(judged(granted, said('allow')).grants).toEqual(['g'])
    const verdict = judged(granted, said('reject'), asking)
    expect(verdict.action).toBe('ask')
    expect(verdict.grants).toBeUndefined()
    expect(judged({ permissions: { '*': 'allow' } }, said('reject'), asking).action).toBe('ask')
    expect(judged({ permissions: { '*': 'allow' } }, said('reject')).action).toBe('deny')
  })

  test('POL-05 fail_open lets a call go on whose review failed, and no other', () => {
    const open = { ...rules, failOpen: true }
    expect(judged(by('allow'), said('failed'), open).action).toBe('allow')
    expect(judged(by('ask'), said('failed'), open).action).toBe('ask')
    expect(judged(by('allow'), said('reject'), open).action).toBe('deny')
  })

  test('POL-05 a review makes no verdict milder', () => {
    const action = fc.constantFrom<Action>('allow', 'ask', 'deny')
    const outcome = fc.constantFrom<Review['outcome']>('allow', 'reject', 'failed')
    fc.assert(
      fc.property(action, outcome, fc.boolean(), fc.boolean(), (given, what, blocks, opens) => {
        const before = judged(by(given), undefined, undefined).action
        const with_ = { ...rules, blockOnReject: blocks, failOpen: opens }
        const after = judged(by(given), said(what), with_).action
        expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before])
      }),
    )
  })

  test('POL-05 APPR-12 gate explain says that a call is reviewed, and asks nobody', () => {
    const facts = { ...factsOf(by('allow')), reviews: rules }
    const { verdict } = explain({ spec: specOf('bash'), args: { command: 'git push' } }, facts)
    expect(verdict.trace.map(({ reason }) => reason)).toContain('a second model reviews it first')
  })
})

describe('a stored review', () => {
  const about = { reviewer: 'r', tool: 'bash', arguments: '{"command":"ls"}', canonical: null }

  test('POL-05 counts for the very arguments, paths, tool and reviewer that it was made for', () => {
    const stored = toStoredReview(said('allow'), about)
    expect(fromStoredReview(stored, about)).toEqual(said('allow'))
    expect(fromStoredReview(stored, { ...about, canonical: undefined })).toEqual(said('allow'))
    const others = [
      { reviewer: 'other' },
      { tool: 'read' },
      { arguments: '{"command":"ls" }' },
      { canonical: '["/etc"]' },
    ]
    for (const other of others)
      expect(fromStoredReview(stored, { ...about, ...other })).toBeUndefined()
  })

  test('POL-05 what is no stored review is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(fromStoredReview(text, about)).toBeUndefined()
      }),
    )
    for (const none of [null, undefined, '']) expect(fromStoredReview(none, about)).toBeUndefined()
  })
})
