import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { resendCalls } from '../../../src/core/call/send-call.ts'
import { advanceTurn } from '../../../src/core/turn/advance-turn.ts'
import type { TurnContext } from '../../../src/core/turn/turn-context.ts'
import { resetSends } from '../../../src/db/call/silent-calls.ts'
import { expireAllLeases } from '../../../src/db/turn/lost-turns.ts'
import type { Model } from '../../../src/ports/model.ts'
import type { ReviewRules } from '../../../src/rules/gate/review/review.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { createReviewer } from '../../support/reviewer.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const reviews: ReviewRules = {
  reviewer: 'somebody',
  blockOnReject: true,
  failOpen: false,
  exemptTools: [],
}

/** An agent whose calls are reviewed by this model. */
function agent(bench: BenchContext, model: Model, timeoutMs = 20_000): TurnContext {
  return {
    ...bench.another(),
    reviews,
    reviewer: { model, policy: undefined, timeoutMs, hideSecrets: (text) => text },
  }
}

const look = () => createScriptedModel([call('read', { path: 'a' }), say('done')])

async function turnOf({ database }: BenchContext) {
  return database.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return
    await delay(20)
  }
  throw new Error('it never came to this')
}

/** A review that does not end before the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<'allow'>()
  return { reviewer: createReviewer(() => promise), answer: () => resolve('allow') }
}

function fail(why: string): never {
  throw new Error(why)
}

describe('reviews and processes that die', () => {
  test('POL-05 INT-1 an agent that dies during a review has sent nothing; the next one has it reviewed again, and it runs once', async () => {
    await using bench = await createBenchContext(look())
    const first = held()
    await bench.say('go')
    const dying = bench.step(agent(bench, first.reviewer))
    await until(() => first.reviewer.requests.length === 1)
    expect(bench.jobs).toEqual([])
    expect(await bench.calls()).toMatchObject([{ state: 'allowed', review: null, attempt: 0 }])
    await expireAllLeases(bench.database.db)
    const second = createReviewer(() => 'allow')
    await bench.step(agent(bench, second))
    expect(second.requests).toHaveLength(1)
    expect(bench.jobs).toHaveLength(1)
    // The one that was taken for dead comes back: what it learned is nobody's any more.
    first.answer()
    await dying
    expect(bench.jobs).toHaveLength(1)
    expect(await bench.calls()).toMatchObject([{ state: 'queued', attempt: 1 }])
  })

  test('POL-05 INT-1 a late allow of an agent that lost its turn does not stand against the next one’s denial', async () => {
    await using bench = await createBenchContext(look())
    const first = held()
    await bench.say('go')
    const dying = bench.step(agent(bench, first.reviewer))
    await until(() => first.reviewer.requests.length === 1)
    await expireAllLeases(bench.database.db)
    await bench.step(
      agent(
        bench,
        createReviewer(() => 'deny'),
      ),
    )
    first.answer()
    await dying
    expect(bench.jobs).toEqual([])
    expect(await bench.calls()).toMatchObject([{ state: 'denied', attempt: 0 }])
    expect((await turnOf(bench)).state).toBe('done')
  })

  test('POL-05 LOOP-15 a review that comes too late is counted: by an estimate, and as it says itself once it is there', async () => {
    await using bench = await createBenchContext(look())
    const slow = held()
    // As a provider whose answer was on its way when nobody wanted it any more.
    const deaf: Model = {
      ...slow.reviewer,
      answer: (request) =>
        slow.reviewer.answer({ ...request, signal: new AbortController().signal }),
    }
    await bench.say('go')
    await bench.step(agent(bench, deaf, 50))
    const counted = () =>
      bench.database.db
        .selectFrom('usage')
        .select(['state', 'input_tokens', 'output_tokens'])
        .where('model', '=', slow.reviewer.name)
        .executeTakeFirstOrThrow()
    const estimate = await counted()
    expect(estimate).toMatchObject({ state: 'superseded', output_tokens: 0 })
    const [asked] = slow.reviewer.requests
    const bytes = JSON.stringify([asked?.system, asked?.messages]).length
    expect(estimate.input_tokens).toBeGreaterThan(bytes / 8)
    expect(estimate.input_tokens).toBeLessThan(bytes / 2)
    slow.answer()
    await until(async () => (await counted()).input_tokens !== estimate.input_tokens)
    expect(await counted()).toMatchObject({
      state: 'superseded',
      input_tokens: 100,
      output_tokens: 10,
    })
  })

  test('POL-05 a stored review is not asked for again by whoever takes the turn over', async () => {
    const both = [
      toRequest('write', { path: 'a', content: '' }),
      toRequest('write', { path: 'b', content: '' }),
    ]
    await using bench = await createBenchContext(createScriptedModel([calls(both), say('done')]))
    const reviewer = createReviewer(() => 'allow')
    await bench.say('go')
    await bench.step(agent(bench, reviewer))
    expect(reviewer.requests).toHaveLength(2)
    // One at a time: the second waits for the first, reviewed already.
    expect(bench.jobs).toHaveLength(1)
    const [one, other] = await bench.calls()
    if (one === undefined || other === undefined) throw new Error('no calls')
    await bench.result(one, ok)
    await bench.step(agent(bench, reviewer))
    expect(bench.jobs).toHaveLength(2)
    expect(reviewer.requests).toHaveLength(2)
  })

  test('POL-05 INT-1 an agent that dies after a review, before it is stored, has sent nothing; it is reviewed again', async () => {
    await using bench = await createBenchContext(look())
    const reviewer = createReviewer(() => 'allow')
    const alive = agent(bench, reviewer)
    const dying: TurnContext = {
      ...alive,
      permissionsIn: (db) =>
        reviewer.requests.length === 0 ? alive.permissionsIn(db) : fail('killed -9'),
    }
    await bench.say('go')
    await expect(bench.step(dying)).rejects.toThrow('killed -9')
    expect(bench.jobs).toEqual([])
    expect(await bench.calls()).toMatchObject([{ state: 'allowed', review: null, attempt: 0 }])
    await expireAllLeases(bench.database.db)
    await bench.step(agent(bench, reviewer))
    expect(reviewer.requests).toHaveLength(2)
    expect(bench.jobs).toHaveLength(1)
  })

  test('POL-05 INT-11 an agent that dies between the stored review and the queue: the call is sent once, and not reviewed again', async () => {
    await using bench = await createBenchContext(look())
    const reviewer = createReviewer(() => 'allow')
    const alive = agent(bench, reviewer)
    const sendJob = async () => fail('killed -9')
    await bench.say('go')
    await bench.step({ ...alive, signals: { ...alive.signals, sendJob } })
    expect(bench.jobs).toEqual([])
    expect(await bench.calls()).toMatchObject([{ state: 'queued', attempt: 1 }])
    await resetSends(bench.database.db)
    await resendCalls(agent(bench, reviewer))
    expect(bench.jobs).toHaveLength(1)
    expect(reviewer.requests).toHaveLength(1)
  })

  test('POL-05 GATE-07 a path that leads elsewhere is reviewed as what it is', async () => {
    await using bench = await createBenchContext(look())
    const reviewer = createReviewer(({ paths_lead_to: paths }) => (paths ? 'deny' : 'allow'))
    await bench.say('go')
    await bench.step(agent(bench, reviewer))
    const [read] = await bench.calls()
    if (read === undefined) throw new Error('no call')
    await bench.result(read, { kind: 'elsewhere', canonical: ['/workspace/b'] })
    await bench.step(agent(bench, reviewer))
    expect(reviewer.requests).toHaveLength(2)
    expect(bench.jobs).toHaveLength(1)
    expect(await bench.calls()).toMatchObject([{ state: 'denied' }])
  })

  test('POL-05 LOOP-14 /stop ends a turn that is being reviewed; nothing of it runs', async () => {
    await using bench = await createBenchContext(look())
    const { reviewer, answer } = held()
    const reviewing = agent(bench, reviewer)
    await bench.say('go')
    const stepping = bench.step(reviewing)
    await until(() => reviewer.requests.length === 1)
    await bench.act({ kind: 'stop' })
    const { id } = await turnOf(bench)
    reviewing.runningModelCalls.get(id)?.abort()
    answer()
    await stepping
    await advanceTurn(reviewing, id)
    expect(bench.jobs).toEqual([])
    expect(await bench.calls()).toMatchObject([{ state: 'cancelled', attempt: 0 }])
    expect((await turnOf(bench)).state).toBe('stopped')
  })

  test('POL-05 PROC-03 an agent that ends during a review leaves the turn to the next one, which goes on at once', async () => {
    await using bench = await createBenchContext(look())
    const { reviewer } = held()
    const ending = agent(bench, reviewer)
    await bench.say('go')
    const stepping = bench.step(ending)
    await until(() => reviewer.requests.length === 1)
    for (const call of ending.runningModelCalls.values())
      call.abort(new Error('the agent was stopped'))
    await stepping
    const { id, epoch, lease_until } = await turnOf(bench)
    expect(lease_until).toBeNull()
    expect(bench.due.at(-1)).toEqual({ turnId: id, epoch })
    expect(bench.jobs).toEqual([])
    await bench.step(
      agent(
        bench,
        createReviewer(() => 'allow'),
      ),
    )
    expect(bench.jobs).toHaveLength(1)
  })

  test('POL-05 LOOP-15 reviews that were not asked for any more count in no budget', async () => {
    const reads = Array.from({ length: 20 }, (_, at) => toRequest('read', { path: `f${at}` }))
    const model = createScriptedModel([calls(reads), say('done')])
    await using bench = await createBenchContext(model)
    const { reviewer } = held()
    const ending = agent(bench, reviewer)
    await bench.say('go')
    const stepping = bench.step(ending)
    await until(() => reviewer.requests.length === 8)
    for (const call of ending.runningModelCalls.values())
      call.abort(new Error('the agent was stopped'))
    await stepping
    const counted = await bench.database.db
      .selectFrom('usage')
      .selectAll()
      .where('model', '=', reviewer.name)
      .execute()
    expect(counted).toHaveLength(8)
  })

  test('POL-05 a provider that gives no heed to the time limit nor to the signal is not waited for', async () => {
    await using bench = await createBenchContext(look())
    const never: Model = {
      ...createReviewer(() => 'allow'),
      answer: () => new Promise(() => undefined),
    }
    await bench.say('go')
    await bench.step(agent(bench, never, 100))
    expect(await bench.calls()).toMatchObject([{ state: 'denied' }])
  })

  test('POL-05 an agent whose operator has switched reviews off goes on with what waited for one', async () => {
    await using bench = await createBenchContext(look())
    const { reviewer, answer } = held()
    await bench.say('go')
    const dying = bench.step(agent(bench, reviewer))
    await until(() => reviewer.requests.length === 1)
    await expireAllLeases(bench.database.db)
    await bench.step(bench.another())
    expect(bench.jobs).toHaveLength(1)
    answer()
    await dying
    expect(bench.jobs).toHaveLength(1)
  })

  test('POL-05 an agent that is to review and has no reviewer sends nothing', async () => {
    await using bench = await createBenchContext(look())
    await bench.say('go')
    await expect(bench.step({ ...bench.another(), reviews })).rejects.toThrow(
      'no reviewer is configured',
    )
    expect(bench.jobs).toEqual([])
  })
})
