import { describe, expect, test } from 'vitest'
import type { ProductEvent } from '../../../src/ports/observer.ts'
import { createFlow, pendingApproval } from '../../support/flow.ts'
import {
  auditedReview,
  createReviewer,
  echo,
  lastGiven,
  list,
  reviewing,
  reviewSettings,
  row,
} from '../../support/reviewer.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const asking = reviewSettings({ BLOCK_ON_REJECT: 'false' })

describe('reviews of many calls, and of calls that change', () => {
  test('POL-05 the calls of a batch are reviewed at once, and each has its own verdict', async () => {
    const paths = ['a', 'b', 'c', 'd']
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user'
        ? calls(paths.map((path) => toRequest('read', { path })))
        : say('done'),
    )
    const { promise: allHere, resolve } = Promise.withResolvers<void>()
    let waiting = 0
    const reviewer = createReviewer(async ({ arguments: { path } }) => {
      waiting += 1
      if (waiting === paths.length) resolve()
      await allHere
      return path === 'b' ? 'deny' : 'allow'
    })
    await using flow = await createFlow({ model, reviewer, settings: reviewing })
    await flow.say('read them')
    const rows = await flow.db.selectFrom('tool_call').selectAll().orderBy('ordinal').execute()
    expect(rows.map(({ state }) => state === 'denied')).toEqual([false, true, false, false])
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 0, 1, 1])
  })

  test('POL-05 questions of a batch that were reviewed are asked together, later ones do not wait for earlier ones', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user'
        ? calls([1, 2].map((n) => toRequest('bash', { command: `echo ${n}` })))
        : say('done'),
    )
    const reviewer = createReviewer(() => 'allow')
    await using flow = await createFlow({ model, reviewer, settings: reviewing })
    await flow.say('go')
    expect(flow.platform.cards()).toHaveLength(2)
    await flow.decide({ kind: 'approve' }, undefined, 2)
    await flow.decide({ kind: 'approve' }, undefined, 1)
    expect(flow.platform.texts()).toEqual(['done'])
    expect(reviewer.requests).toHaveLength(2)
  })

  test('POL-05 APPR-14 what a person changes on a card is reviewed anew before it is asked about', async () => {
    const model = echo()
    const reviewer = createReviewer(({ arguments: { command } }) =>
      command.includes('evil') ? 'deny' : 'allow',
    )
    await using flow = await createFlow({ model, reviewer, settings: reviewing })
    await flow.say('go')
    const { id: approvalId } = await pendingApproval(flow.db)
    await flow.act({ kind: 'tap', approvalId, action: 'edit', messageId: '1' })
    await flow.act({ kind: 'message', text: 'echo evil', replyTo: '1' })
    await flow.quiet()
    expect(reviewer.requests).toHaveLength(2)
    expect(await row(flow)).toMatchObject({ state: 'denied', attempt: 0 })
  })

  test('POL-06 POL-05 a policy that was written while a card waited: the call is reviewed by it before it runs', async () => {
    const model = echo()
    const reviewer = createReviewer((_, index) => (index === 0 ? 'allow' : 'deny'))
    await using flow = await createFlow({ model, reviewer, settings: reviewing })
    await flow.say('go')
    const { id } = await pendingApproval(flow.db)
    await flow.product[Symbol.asyncDispose]()
    const settings = reviewSettings({ POLICY: 'No greetings.' })
    await using later = await createFlow({ model, reviewer, settings, over: flow })
    await later.act({ kind: 'decision', approvalId: id, decision: { kind: 'approve' } })
    await later.quiet()
    expect(reviewer.requests).toHaveLength(2)
    expect(await row(later)).toMatchObject({ state: 'denied', attempt: 0 })
    expect(lastGiven(model)).toContain('error: policy forbids it\n')
  })

  test('POL-06 POL-05 an objection that came after the approval is asked about: nobody could know of it', async () => {
    const model = echo()
    const reviewer = createReviewer(() => 'deny', 'too friendly')
    await using flow = await createFlow({ model })
    await flow.say('go')
    const { id } = await pendingApproval(flow.db)
    await flow.product[Symbol.asyncDispose]()
    await using later = await createFlow({ model, reviewer, settings: asking, over: flow })
    await later.act({ kind: 'decision', approvalId: id, decision: { kind: 'approve' } })
    await later.quiet()
    expect(later.platform.cards().at(-1)?.effects).toEqual([
      { kind: 'objection', of: 'too friendly' },
    ])
    await later.decide({ kind: 'approve' })
    expect(await row(later)).toMatchObject({ state: 'succeeded' })
    expect(reviewer.requests).toHaveLength(1)
  })

  test('POL-05 LOOP-15 where a budget is used up, no review is paid for, and what is not reviewed does not run', async () => {
    const reviewer = createReviewer(() => 'allow')
    const settings = { ...reviewing, COUNTERSIGN_BUDGETS_SESSION_TOKENS_PER_DAY: '10' }
    await using flow = await createFlow({ model: list(), reviewer, settings })
    await flow.say('go')
    expect(reviewer.requests).toEqual([])
    expect(await row(flow)).toMatchObject({ state: 'denied' })
    expect((await auditedReview(flow)).rule).toContain('is used up')
    expect(flow.platform.texts().at(-1)).toContain('used up')
  })

  test('POL-05 LOOP-15 MODEL-05 what reviews use counts in the session’s budget, and observers are told', async () => {
    const events: ProductEvent[] = []
    const reviewer = createReviewer(() => 'allow')
    await using flow = await createFlow({
      model: list(),
      reviewer,
      observer: { record: (event) => void events.push(event) },
      settings: {
        ...reviewing,
        COUNTERSIGN_BUDGETS_SESSION_TOKENS_PER_DAY: '330',
        COUNTERSIGN_PRICES: JSON.stringify({ small: { input: 1, output: 10 } }),
      },
    })
    await flow.say('go')
    expect(flow.platform.texts().at(-1)).toBe('done')
    const usage = await flow.db.selectFrom('usage').selectAll().orderBy('created_at').execute()
    expect(usage.map(({ model, state, cost_usd }) => [model, state, cost_usd])).toEqual([
      ['scripted', 'done', null],
      ['small', 'done', 0.0002],
      ['scripted', 'done', null],
    ])
    expect(events.filter(({ kind }) => kind === 'call_reviewed')).toMatchObject([
      { tool: 'list_directory', model: 'small', outcome: 'allow', inputTokens: 100 },
    ])
    await flow.say('again')
    expect(flow.platform.texts().at(-1)).toContain('used up (330 of 330 tokens)')
  })
})
