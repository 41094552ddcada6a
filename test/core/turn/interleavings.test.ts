import { describe, expect, test } from 'vitest'
import { act } from '../../../src/core/turn/act.ts'
import { advanceTurn } from '../../../src/core/turn/advance-turn.ts'
import { createSweeper, sweep } from '../../../src/core/turn/sweep.ts'
import { claimTurn } from '../../../src/db/turn/turns.ts'
import { createBenchContext, eve, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const reads = (count: number) =>
  calls(Array.from({ length: count }, () => toRequest('read', { path: 'a' })))

describe('two agents, one turn', () => {
  test('INT-1 an agent whose lease ran out in a model call changes nothing; its cost is kept as superseded', async () => {
    const answered = Promise.withResolvers<void>()
    const slow = createScriptedModel(async () => {
      await answered.promise
      return reads(1)
    })
    await using bench = await createBenchContext(slow)
    const { db } = bench.database
    await bench.say('hi')
    const first = bench.step()
    await expect.poll(() => slow.requests.length).toBe(1)
    await db.updateTable('turn').set({ lease_until: longAgo }).execute()
    const other = bench.another(createScriptedModel([say('from the other')]))
    await sweep(other, longAgo)
    await bench.step(other)
    answered.resolve()
    await first
    const messages = await db
      .selectFrom('message')
      .select(['role', 'body'])
      .orderBy('position')
      .execute()
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(messages[1]?.body).toContain('from the other')
    expect(await bench.calls()).toEqual([])
    const usage = await db.selectFrom('usage').select('state').orderBy('created_at').execute()
    expect(usage.map((row) => row.state)).toEqual(['superseded', 'done'])
  })

  test('INT-39 two sweepers at once hand a turn on without harm: it is stepped once', async () => {
    const model = createScriptedModel([say('once')])
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    const other = bench.another()
    await bench.database.db.updateTable('turn').set({ next_due: longAgo }).execute()
    await Promise.all([sweep(bench.ctx, longAgo), sweep(other, longAgo)])
    await Promise.all([bench.step(), bench.step(other)])
    expect(model.requests).toHaveLength(1)
    expect(await bench.notices()).toEqual(['once'])
  })

  test('INT-30 an agent that dies after the answer calls again, and the first call shows as started', async () => {
    const model = createScriptedModel([say('answer')])
    await using bench = await createBenchContext(model)
    const { db } = bench.database
    await bench.say('hi')
    const dying = bench.another(createScriptedModel(() => Promise.reject(new TypeError('killed'))))
    await expect(bench.step(dying)).rejects.toThrow('killed')
    await db.updateTable('turn').set({ lease_until: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    await bench.step()
    const usage = await db.selectFrom('usage').select('state').orderBy('created_at').execute()
    expect(usage.map((row) => row.state)).toEqual(['started', 'done'])
    expect(await bench.notices()).toEqual(['answer'])
  })

  test('INT-31 /stop during a model call that ignores its abort: the answer is dropped', async () => {
    const answered = Promise.withResolvers<void>()
    const late = async () => {
      await answered.promise
      return call('bash', { command: 'true' })
    }
    const model = createScriptedModel(late, { ignoresAbort: true })
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    const stepping = bench.step()
    await expect.poll(() => model.requests.length).toBe(1)
    await bench.say('/stop')
    answered.resolve()
    await stepping
    expect(await bench.calls()).toEqual([])
    const turn = await bench.database.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    expect(turn).toMatchObject({ state: 'stopped', stopped_by: 'Ada' })
    expect(bench.stopped).toEqual([turn.id])
  })
})

describe('results', () => {
  test('INT-3 the last results of a batch settle at once, 40 rounds, and none is stuck', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool' ? say('done') : reads(3),
    )
    await using bench = await createBenchContext(model)
    for (let round = 0; round < 40; round += 1) {
      await bench.say(`round ${round}`)
      await bench.step()
      const open = (await bench.calls()).filter((row) => row.settled_at === null)
      expect(open).toHaveLength(3)
      await Promise.all(open.map((row) => bench.result(row, ok)))
      await bench.step()
    }
    const turns = await bench.database.db.selectFrom('turn').select('state').execute()
    expect(turns.filter((turn) => turn.state !== 'done')).toEqual([])
  })

  test('INT-4 a result and a decision settle the batch at once, in two processes', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? say('done')
        : calls([toRequest('read', { path: 'a' }), toRequest('bash', { command: 'true' })]),
    )
    await using bench = await createBenchContext(model)
    for (let round = 0; round < 15; round += 1) {
      await bench.say(`round ${round}`)
      await bench.step()
      const running = (await bench.calls()).find((row) => row.state === 'queued')
      if (running === undefined) throw new Error('nothing runs')
      await Promise.all([bench.result(running, ok), bench.say('/deny')])
      await bench.step()
    }
    const turns = await bench.database.db.selectFrom('turn').select('state').execute()
    expect(turns.filter((turn) => turn.state !== 'done')).toEqual([])
  })

  test('INT-13 LOOP-05 a second result is recorded as late and changes nothing', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(1), say('done')]))
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.result(row, ok)
    await bench.result(row, { kind: 'succeeded', output: 'something else' })
    expect((await bench.calls())[0]?.result).toBe('fine')
    const kinds = await bench.database.db
      .selectFrom('audit_log')
      .select('kind')
      .orderBy('id')
      .execute()
    expect(kinds.map((entry) => entry.kind)).toEqual(['decided', 'settled', 'late_result'])
  })

  test('INT-14 a result after "interrupted" is recorded and told to the person; the row stays', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(1), say('done')]))
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.result(row, { kind: 'interrupted' })
    await bench.result(row, ok)
    expect((await bench.calls())[0]?.state).toBe('interrupted')
    expect((await bench.notices()).join('\n')).toContain('finished after all')
  })

  test('INT-10 a result after /stop is settled and recorded, and wakes nobody', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(1), say('never')]))
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.say('/stop')
    await bench.result(row, ok)
    await bench.step()
    expect((await bench.calls())[0]?.state).toBe('succeeded')
    expect(await bench.notices()).toEqual(['Stopped by Ada.'])
  })

  test('INT-11 INT-12 a job nobody answers is sent again as the same attempt under the next number', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(1), say('done')]))
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.database.db.updateTable('tool_call').set({ sent_at: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    expect(bench.jobs.map((sent) => sent.id)).toEqual([`call-${row.id}-1`, `call-${row.id}-1-1`])
    const headers = bench.jobs.map((sent) => JSON.parse(sent.job.header))
    expect(headers.map((header) => header.attempt)).toEqual([1, 1])
  })

  test('INT-11 APPR-08 without any live replica a running call is interrupted, one that never began waits for the grace', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(2), say('done')]), {
      workerGraceMs: 600_000,
    })
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    const [first] = await bench.calls()
    if (first === undefined) throw new Error('no call')
    await bench.started(first)
    await db.updateTable('worker').set({ seen_at: longAgo }).execute()
    await db.updateTable('tool_call').set({ sent_at: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls()).map((row) => row.state)).toEqual(['interrupted', 'queued'])
    await db
      .updateTable('tool_call')
      .set({ sent_at: longAgo, queued_at: new Date(1e9) })
      .execute()
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls()).map((row) => row.state)).toEqual(['interrupted', 'cancelled'])
    expect((await bench.calls())[1]?.result).not.toContain('rejected by user')
  })
})

describe('stop and clear', () => {
  test('INT-7 /stop right after "queued": the call is cancelled again and again until it is settled', async () => {
    await using bench = await createBenchContext(createScriptedModel([reads(1)]))
    await bench.say('hi')
    await bench.step()
    await bench.say('/stop')
    expect(bench.cancels).toHaveLength(1)
    await sweep(bench.ctx, longAgo)
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toHaveLength(3)
    expect(bench.jobs).toHaveLength(1)
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.result(row, {
      kind: 'failed',
      error: { category: 'cancelled', message: 'stopped' },
    })
    await sweep(bench.ctx, longAgo)
    expect(bench.cancels).toHaveLength(3)
    expect((await bench.calls())[0]?.state).toBe('cancelled')
  })

  test('INT-9 /clear with a card waiting and a call running: all settles, quota and grants begin anew', async () => {
    const model = createScriptedModel([
      calls([toRequest('read', { path: 'a' }), toRequest('bash', { command: 'true' })]),
      say('never'),
    ])
    await using bench = await createBenchContext(model, { maxToolCallsPerSession: 2 })
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    await bench.say('/clear')
    const [running, waiting] = await bench.calls()
    expect(waiting?.state).toBe('cancelled')
    if (running === undefined) throw new Error('no call')
    await bench.result(running, ok)
    await bench.step()
    const cards = await db.selectFrom('approval').select(['state', 'card']).execute()
    expect(cards).toHaveLength(1)
    expect(cards[0]?.state).toBe('cancelled')
    expect(JSON.parse(cards[0]?.card ?? '').status).toEqual({
      kind: 'cancelled',
      why: 'cleared',
      by: 'Ada',
    })
    const open = await db
      .selectFrom('session')
      .selectAll()
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow()
    expect(open.calls_used).toBe(0)
    const audited = await db
      .selectFrom('audit_log')
      .select('kind')
      .where('call_id', '=', running.id)
      .execute()
    expect(audited.map((row) => row.kind)).toEqual(['decided', 'settled'])
    expect(await bench.notices()).not.toContain('never')
  })

  test('INT-6 a tap during /stop is told who stopped it, and nothing is sent', async () => {
    const model = createScriptedModel([call('bash', { command: 'true' })])
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    await Promise.all([bench.say('/stop'), bench.say('/approve 1')])
    await bench.step()
    expect(bench.jobs).toEqual([])
    const approval = await bench.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    // Whichever came first: it never ran, and the card says so.
    expect((await bench.calls())[0]?.state).toBe('cancelled')
    expect(JSON.parse(approval.card).status).toEqual({
      kind: 'cancelled',
      why: 'stopped',
      by: 'Ada',
    })
    await bench.say('/approve 1')
    expect((await bench.notices()).at(-1)).toMatch(/Stopped by Ada|Already approved/)
  })
})

describe('messages', () => {
  test('INT-20 rule 7: a message that comes while the final answer is stored starts the next turn', async () => {
    const model = createScriptedModel([say('first'), say('second')], { delayMs: 150 })
    await using bench = await createBenchContext(model)
    await bench.say('one')
    const stepping = bench.step()
    await expect.poll(() => model.requests.length).toBe(1)
    await bench.say('two')
    await stepping
    await bench.step()
    const answers = (await bench.notices()).filter((text) => !text.startsWith('Noted'))
    expect(answers).toEqual(['first', 'second'])
    const states = await bench.database.db.selectFrom('turn').select('state').execute()
    expect(states).toEqual([{ state: 'done' }, { state: 'done' }])
  })

  test('INT-21 LOOP-04 many first messages at once make one session and one turn; the same update twice is one', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    const { db } = bench.database
    await Promise.all([
      ...Array.from({ length: 8 }, (_, index) => bench.say(`message ${index}`)),
      ...Array.from({ length: 4 }, () =>
        bench.act({ kind: 'message', text: 'same' }, undefined, 'update-1'),
      ),
    ])
    expect(await db.selectFrom('session').selectAll().execute()).toHaveLength(1)
    expect(await db.selectFrom('turn').selectAll().execute()).toHaveLength(1)
    expect(await db.selectFrom('message').selectAll().execute()).toHaveLength(9)
  })

  test('LOOP-03 THREAT-6 another person’s message in a group starts the next turn, as that person', async () => {
    const model = createScriptedModel([say('to Ada'), say('to Bob')], { delayMs: 150 })
    await using bench = await createBenchContext(model)
    const { bob } = await import('../../support/bench-context.ts')
    await bench.say('from Ada')
    const stepping = bench.step()
    await expect.poll(() => model.requests.length).toBe(1)
    await bench.say('from Bob', bob)
    await stepping
    await bench.step()
    const turns = await bench.database.db
      .selectFrom('turn')
      .select('caller_id')
      .orderBy('created_at')
      .execute()
    expect(turns.map((turn) => turn.caller_id)).toEqual(['test:ada', 'test:bob'])
    expect(model.requests[0]?.messages).toHaveLength(1)
    expect(model.requests[1]?.messages).toContainEqual({
      role: 'user',
      author: 'Bob',
      text: 'from Bob',
    })
  })

  test('APPR-07 INT-24 an Always that commits after the turn was claimed counts before anything is sent', async () => {
    const two = [
      toRequest('bash', { command: 'wc -c a' }),
      toRequest('bash', { command: 'wc -l b' }),
    ]
    await using bench = await createBenchContext(createScriptedModel([calls(two), say('done')]))
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    await db.updateTable('turn').set({ next_due: longAgo }).execute()
    const [turn] = await db.selectFrom('turn').select('id').execute()
    const claimed = await claimTurn(db, turn?.id ?? '', bench.ctx.agentId)
    if (claimed === undefined) throw new Error('not claimed')
    expect(claimed.has_always).toBe(false)
    await bench.say('/always 1', eve)
    await act(bench.ctx, claimed, Boolean(claimed.has_always))
    expect((await bench.calls()).map((row) => row.state)).toEqual(['queued', 'allowed'])
    expect(bench.rules.text).toContain('"wc *": "allow"')
  })

  test('LOOP-02 an acting turn without lease, due time and open call is woken by the sweeper; one that waits is not', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'wc -c a' }), say('done')]),
    )
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    await createSweeper(bench.ctx)()
    expect(bench.due).toHaveLength(1)
    await db
      .updateTable('tool_call')
      .set({ state: 'failed', settled_at: new Date(), result: 'x', is_error: true })
      .execute()
    await createSweeper(bench.ctx)()
    expect(bench.due).toHaveLength(2)
    await advanceTurn(bench.ctx, bench.due[1]?.turnId ?? '')
    expect(await bench.notices()).toContain('done')
  })

  test('LOOP-02 a turn whose job was lost is found by the sweeper and handed on under the next epoch', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    await bench.say('hi')
    const [lost] = bench.due
    await bench.database.db.updateTable('turn').set({ next_due: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    const found = bench.due.at(-1)
    expect(found).toEqual({ turnId: lost?.turnId, epoch: (lost?.epoch ?? 0) + 1 })
    await advanceTurn(bench.ctx, found?.turnId ?? '')
    expect(await bench.notices()).toEqual(['ok'])
  })
})
