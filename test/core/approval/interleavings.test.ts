import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { describeQuota } from '../../../src/core/call/create-batch.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import {
  ada,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const command = (text = 'true') => toRequest('bash', { command: text })
const answers = (first: ReturnType<typeof calls>) =>
  createScriptedModel((request) => (request.messages.at(-1)?.role === 'user' ? first : say('done')))

async function approvals(bench: BenchContext) {
  return bench.database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

describe('one question, many answers', () => {
  test('APPR-04 twenty taps at once: one is applied, the others are told who was first', async () => {
    await using bench = await createBenchContext(answers(calls([command()])))
    await bench.say('hi')
    await bench.step()
    const [approval] = await approvals(bench)
    await showCards(bench.database.db)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        decide(bench.ctx, approval?.id ?? '', index % 2 ? ada : eve, {
          kind: index % 3 ? 'approve' : 'deny',
        }),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.kind === 'applied')).toHaveLength(1)
    const late = outcomes.filter((outcome) => outcome.kind === 'late')
    expect(late).toHaveLength(19)
    expect(late[0]?.text).toMatch(/Already (approved|denied) by (Ada|Eve)/)
    const votes = await bench.database.db.selectFrom('approval_vote').selectAll().execute()
    expect(votes).toHaveLength(1)
  })

  test('INT-5 a tap at the instant of expiry: exactly one of both holds', async () => {
    await using bench = await createBenchContext(answers(calls([command()])))
    const { db } = bench.database
    for (let round = 0; round < 6; round += 1) {
      await bench.say('hi')
      await bench.step()
      const approval = (await approvals(bench)).at(-1)
      if (approval === undefined) throw new Error('no approval')
      const soon = new Date(Date.now() + 5)
      await db
        .updateTable('approval')
        .set({ expires_at: soon })
        .where('id', '=', approval.id)
        .execute()
      await showCards(bench.database.db)
      const [tap] = await Promise.all([
        decide(bench.ctx, approval.id, ada, { kind: 'approve' }),
        new Promise((resolve) => setTimeout(resolve, 5)).then(() => sweep(bench.ctx, longAgo)),
      ])
      await new Promise((resolve) => setTimeout(resolve, 10))
      await sweep(bench.ctx, longAgo)
      const after = (await approvals(bench)).at(-1)
      expect(after?.state).toBe(tap.kind === 'applied' ? 'approved' : 'expired')
      await bench.say('/stop')
    }
  })

  test('APPR-08 what nobody answers expires into a denial that says so, and a reminder comes once before', async () => {
    await using bench = await createBenchContext(answers(calls([command()])), {
      remindAfterMs: 60_000,
    })
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    await db.updateTable('approval').set({ remind_at: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    await sweep(bench.ctx, longAgo)
    const reminders = (await bench.notices()).filter((text) => text.includes('still waiting'))
    expect(reminders).toHaveLength(1)
    await db.updateTable('approval').set({ expires_at: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    await bench.step()
    expect((await bench.calls())[0]).toMatchObject({
      state: 'denied',
      result: expect.stringContaining('expired'),
    })
    expect((await bench.notices()).at(-1)).toBe('done')
  })

  test('APPR-16 what was not shown yet cannot be approved, only denied', async () => {
    await using bench = await createBenchContext(
      answers(calls([toRequest('write', { path: 'a.txt', content: 'x' })])),
    )
    bench.rules.text = '{"*": "ask"}'
    await bench.say('hi')
    await bench.step()
    expect(bench.jobs.map((sent) => JSON.parse(sent.job.header).type)).toEqual(['preview'])
    await bench.say('/approve')
    expect((await bench.notices()).at(-1)).toContain('must be shown first')
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    const diff = '--- a.txt\n+++ a.txt\n+x'
    await bench.result(row, { kind: 'preview', diff, baseSha256: 'a'.repeat(64) }, 1)
    const [approval] = await approvals(bench)
    expect(JSON.parse(approval?.card ?? '').what).toContain('+x')
    await bench.say('/approve')
    await bench.step()
    const header = JSON.parse(bench.jobs.at(-1)?.job.header ?? '')
    expect(header).toMatchObject({
      type: 'run',
      baseSha256: 'a'.repeat(64),
      approvalId: approval?.id,
    })
  })

  test('GATE-07 INT-37 a file changed since it was approved gives a new card, and nothing was written', async () => {
    await using bench = await createBenchContext(
      answers(calls([toRequest('write', { path: 'a.txt', content: 'x' })])),
    )
    bench.rules.text = '{"*": "ask"}'
    await bench.say('hi')
    await bench.step()
    const shown = { kind: 'preview', diff: '+x', baseSha256: 'a'.repeat(64) } as const
    const first = (await bench.calls())[0]
    if (first === undefined) throw new Error('no call')
    await bench.result(first, shown, 1)
    await bench.say('/approve')
    await bench.step()
    const sent = (await bench.calls())[0]
    if (sent === undefined) throw new Error('no call')
    await bench.result(sent, { kind: 'changed', path: '/workspace/a.txt' })
    await bench.step()
    expect((await approvals(bench)).map((row) => row.state)).toEqual(['superseded', 'pending'])
    expect((await bench.calls())[0]?.state).toBe('awaiting_approval')
  })

  test('INT-37 a call approved for a confined box is asked again when the box is none any more', async () => {
    await using bench = await createBenchContext(answers(calls([command()])))
    await bench.say('hi')
    await bench.step()
    await bench.say('/approve')
    await bench.hello(false)
    await bench.step()
    expect((await approvals(bench)).map((row) => row.state)).toEqual(['superseded', 'pending'])
    expect(bench.jobs).toEqual([])
  })

  test('POL-06 INT-25 a rule tightened between decision and dispatch wins', async () => {
    await using bench = await createBenchContext(answers(calls([command('true')])))
    await bench.say('hi')
    await bench.step()
    await bench.say('/approve')
    bench.rules.text = '{"*": "ask", "bash": {"*": "ask", "true": "deny"}}'
    await bench.step()
    expect(bench.jobs).toEqual([])
    expect((await bench.calls())[0]).toMatchObject({
      state: 'denied',
      error_category: 'policy_blocked',
    })
  })

  test('GATE-07 THREAT-1 a path that is really elsewhere is judged again by its true name', async () => {
    await using bench = await createBenchContext(
      answers(calls([toRequest('read', { path: 'link' })])),
    )
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.result(row, { kind: 'elsewhere', canonical: ['/workspace/.env'] })
    await bench.step()
    expect((await bench.calls())[0]).toMatchObject({ state: 'denied', attempt: 1 })
    expect(bench.jobs).toHaveLength(1)
  })

  test('SHELL-11 THREAT-1 a command whose link leads to a hook becomes a question, and runs with what was approved', async () => {
    const command = 'cp x a/l/pre-commit'
    await using bench = await createBenchContext(answers(calls([toRequest('bash', { command })])))
    bench.rules.text = '{ "*": "ask", "bash": { "cp *": "allow" } }'
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    const hook = '/workspace/.git/hooks/pre-commit'
    await bench.result(row, { kind: 'elsewhere', canonical: [hook] })
    await bench.step()
    expect(await bench.calls()).toMatchObject([{ state: 'awaiting_approval' }])
    await bench.say('/approve')
    await bench.step()
    const headers = bench.jobs.map(({ job }) => JSON.parse(job.header))
    const written = expect.arrayContaining([
      { path: '/workspace/a/l/pre-commit', from: ['/workspace/x'] },
    ])
    expect(headers).toMatchObject([
      { judged: [], written },
      { judged: [hook], written },
    ])
  })
})

describe('batches', () => {
  test('INT-22 allowed, denied, asking and unknown calls of one batch: each settles as it must, the model is asked once', async () => {
    const model = answers(
      calls([
        toRequest('read', { path: 'a' }, 'c1'),
        toRequest('read', { path: '.env' }, 'c2'),
        toRequest('bash', { command: 'true' }, 'c3'),
        toRequest('reed', { path: 'a' }, 'c4'),
        toRequest('read', { wrong: 1 }, 'c5'),
      ]),
    )
    await using bench = await createBenchContext(model, { maxToolCallsPerSession: 5 })
    await bench.say('hi')
    await bench.step()
    const rows = await bench.calls()
    expect(rows.map((row) => row.state)).toEqual([
      'queued',
      'denied',
      'awaiting_approval',
      'failed',
      'failed',
    ])
    const [first] = rows
    if (first === undefined) throw new Error('no call')
    await bench.result(first, ok)
    await bench.say('/deny 1')
    await bench.step()
    const results = model.requests[1]?.messages.filter((message) => message.role === 'tool') ?? []
    expect(results.map((message) => message.callId)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5'])
    expect(results[3]?.text).toContain('category: tool_not_found')
    expect(results[3]?.text).toContain('read')
    expect(results[4]?.text).toContain('category: invalid_parameters')
    const session = await bench.database.db
      .selectFrom('session')
      .selectAll()
      .executeTakeFirstOrThrow()
    // What was denied, or no call of a tool, never ran and was given back.
    expect(session.calls_used).toBe(1)
  })

  test('LOOP-13 a batch that is larger than the whole quota runs nothing; the model is told to ask for fewer, and nobody of /clear', async () => {
    const model = answers(calls([command('a'), command('b'), command('c')]))
    await using bench = await createBenchContext(model, { maxToolCallsPerSession: 2 })
    await bench.say('hi')
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['failed', 'failed', 'failed'])
    expect((await bench.calls())[0]?.result).toBe(
      [
        '[tool_error]',
        'category: policy_blocked',
        'error: quota_blocked: 2 of 2 left',
        'suggestion: Ask for at most 2 calls from now on, those that matter most.',
        'retryable: false',
      ].join('\n'),
    )
    expect((await bench.notices())[0]).toBe(
      'None of the 3 tool calls was run: a session may make 2 in all (2 left). The model was told to ask for fewer at once.',
    )
    const audited = await bench.database.db
      .selectFrom('audit_log')
      .select('said_by')
      .where('kind', '=', 'decided')
      .execute()
    expect(audited.map(({ said_by }) => said_by)).toEqual(['quota', 'quota', 'quota'])
    const session = await bench.database.db
      .selectFrom('session')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(session.calls_used).toBe(0)
  })

  test('LOOP-13 what never ran since its arguments were wrong is given back; where some calls are left, fewer and /clear are named, where none is, /clear', async () => {
    const bad = toRequest('read', { nowhere: 1 })
    const model = answers(calls([bad, bad]))
    await using bench = await createBenchContext(model, { maxToolCallsPerSession: 2 })
    const { db } = bench.database
    const use = (count: number) => db.updateTable('session').set({ calls_used: count }).execute()
    await bench.say('hi')
    await bench.step()
    const session = await db.selectFrom('session').selectAll().executeTakeFirstOrThrow()
    expect(session.calls_used).toBe(0)
    expect(describeQuota(english, { wanted: 2, left: 1, limit: 2 })).toBe(
      'None of the 2 tool calls was run: 1 of the session’s 2 are left. The model was told to ask for fewer at once. /clear starts over and resets the quota.',
    )
    await use(2)
    await bench.say('again')
    await bench.step()
    expect((await bench.calls()).at(-1)?.result).toContain(
      'suggestion: Answer with what you have, and tell the person that no calls are left: their /clear starts over and resets the quota.',
    )
    expect(await bench.notices()).toContain(
      'The quota of 2 tool calls a session is used up. /clear starts over and resets it.',
    )
  })

  test('APPR-10 REG-07 DECISION-2 calls go one by one behind one that changes something, and never past one that waits', async () => {
    const model = answers(
      calls([
        command('first'),
        toRequest('write', { path: 'a', content: 'x' }),
        toRequest('read', { path: 'a' }),
      ]),
    )
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual([
      'awaiting_approval',
      'allowed',
      'allowed',
    ])
    await bench.say('/deny')
    await bench.step()
    expect((await bench.calls()).map((row) => row.state)).toEqual(['denied', 'queued', 'allowed'])
  })

  test('INT-24 Always cascades over five cards while one is being denied: the denied one never runs', async () => {
    const model = answers(calls(['a', 'b', 'c', 'd', 'e'].map((name) => command(`wc -c ${name}`))))
    await using bench = await createBenchContext(model)
    await bench.say('hi')
    await bench.step()
    const all = await approvals(bench)
    const denied = all[2]?.id ?? ''
    await showCards(bench.database.db)
    const [, deny] = await Promise.all([
      decide(bench.ctx, all[0]?.id ?? '', ada, { kind: 'always' }).then(() => bench.step()),
      decide(bench.ctx, denied, ada, { kind: 'deny' }),
    ])
    for (let round = 0; round < 12; round += 1) {
      for (const row of await bench.calls()) if (row.state === 'queued') await bench.result(row, ok)
      await bench.step()
    }
    const states = new Map((await approvals(bench)).map((row) => [row.id, row.state]))
    const third = (await bench.calls())[2]
    expect(states.get(denied)).toBe(deny.kind === 'applied' ? 'denied' : 'granted')
    expect(third?.state).toBe(deny.kind === 'applied' ? 'denied' : 'succeeded')
    expect((await bench.calls()).filter((row) => row.settled_at === null)).toEqual([])
  })

  test('INT-26 THREAT-4 grants belong to the caller: another person’s like call asks', async () => {
    await using bench = await createBenchContext(answers(calls([command('wc -c a')])))
    await bench.say('hi')
    await bench.step()
    await bench.say('/always')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    await bench.result(row, ok)
    await bench.step()
    await bench.say('mine', bob)
    await bench.step()
    expect((await bench.calls())[1]?.state).toBe('awaiting_approval')
  })
})

describe('signals lost', () => {
  test('INT-33 a queue that is away at "enqueue after commit": the row stands and the sweeper sends it', async () => {
    await using bench = await createBenchContext(answers(calls([toRequest('read', { path: 'a' })])))
    const broken = {
      ...bench.ctx,
      signals: { ...bench.ctx.signals, sendJob: () => Promise.reject(new Error('away')) },
    }
    await bench.say('hi')
    await bench.step(broken)
    expect(bench.jobs).toEqual([])
    expect((await bench.calls())[0]?.state).toBe('queued')
    await bench.database.db.updateTable('tool_call').set({ sent_at: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    expect(bench.jobs).toHaveLength(1)
  })

  test('THREAT-5 PROC-02 a forged or unsigned result is dropped and recorded', async () => {
    await using bench = await createBenchContext(answers(calls([toRequest('read', { path: 'a' })])))
    await using other = await createBenchContext(createScriptedModel([say('x')]))
    await bench.say('hi')
    await bench.step()
    const [row] = await bench.calls()
    if (row === undefined) throw new Error('no call')
    const { receiveWorkerMessage } = await import(
      '../../../src/core/call/result/receive-worker-message.ts'
    )
    const { signMessage } = await import('../../../src/rules/jobs/sign.ts')
    const forged = signMessage(other.ctx.signer, {
      type: 'result',
      worker: 'default',
      replica: 'somebody',
      at: new Date().toISOString(),
      callId: row.id,
      attempt: 1,
      jobType: 'run',
      durationMs: 1,
      outcome: { kind: 'succeeded', output: 'forged' },
    })
    await receiveWorkerMessage(bench.ctx, forged)
    await receiveWorkerMessage(bench.ctx, { ...forged, signature: 'AAAA' })
    await receiveWorkerMessage(bench.ctx, 'nonsense')
    expect((await bench.calls())[0]?.state).toBe('queued')
    const kinds = await bench.database.db
      .selectFrom('audit_log')
      .select('kind')
      .where('chain', '=', 'system')
      .execute()
    expect(kinds).toEqual([
      { kind: 'dropped_result' },
      { kind: 'dropped_result' },
      { kind: 'dropped_result' },
    ])
  })

  test('THREAT-5 a replica that does not know the enrolment token is not taken in', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('x')]))
    const { receiveWorkerMessage } = await import(
      '../../../src/core/call/result/receive-worker-message.ts'
    )
    const { signMessage } = await import('../../../src/rules/jobs/sign.ts')
    const { ctx } = bench
    await receiveWorkerMessage(
      ctx,
      signMessage(ctx.signer, {
        type: 'hello',
        worker: 'default',
        replica: 'intruder',
        at: new Date().toISOString(),
        beat: 1,
        driver: 'process',
        confined: true,
        warnings: [],
        boxWorkspace: '/',
        tools: [],
        publicKey: ctx.signer.publicKeyPem,
        proof: 'a'.repeat(64),
      }),
    )
    const rows = await bench.database.db.selectFrom('worker').select('replica').execute()
    expect(rows.map((row) => row.replica)).not.toContain('intruder')
  })
})

test('LOOP-10 at the cap the model gets one last step without tools, and the person is told', async () => {
  const model = createScriptedModel((request) =>
    request.toolChoice === 'none'
      ? say('sum')
      : call('read', { path: `${request.messages.length}` }),
  )
  await using bench = await createBenchContext(model, { maxToolIterations: 3 })
  await bench.say('hi')
  for (let round = 0; round < 5; round += 1) {
    await bench.step()
    for (const row of await bench.calls()) if (row.state === 'queued') await bench.result(row, ok)
  }
  expect(await bench.calls()).toHaveLength(3)
  expect(await bench.notices()).toEqual(['The limit of 3 steps with tools was reached.', 'sum'])
})
