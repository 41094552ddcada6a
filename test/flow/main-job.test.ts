import { describe, expect, test } from 'vitest'
import { auditRows } from '../support/audit-rows.ts'
import { ada, bob, createFlow, eve, olga, pendingApproval } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

describe('a message becomes an approved, executed, audited call', () => {
  test('LOOP-01 APPR-01 AUD-01 the command runs after its card is approved, and every row names the caller', async () => {
    const model = createScriptedModel([
      call('bash', { command: 'echo hi > made; cat made' }),
      say('It said hi.'),
    ])
    await using flow = await createFlow({ model })
    await flow.say('make it')
    expect(flow.platform.cards()).toMatchObject([
      { number: 1, tool: 'bash', what: 'echo hi > made; cat made', status: { kind: 'waiting' } },
    ])
    expect(flow.platform.answers()).toEqual([])
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers()).toEqual(['It said hi.'])
    const seen = model.requests[1]?.messages.at(-1)
    expect(seen).toMatchObject({ role: 'tool', isError: false })
    expect(seen).toHaveProperty('text', expect.stringContaining('hi'))
    const audit = await auditRows(flow.db)
    expect(audit.map((row) => [row.kind, row.caller_id, row.verdict, row.result])).toEqual([
      ['decided', ada.id, 'ask', null],
      ['settled', ada.id, null, 'success'],
    ])
    expect(JSON.parse(audit[0]?.body ?? '')).toMatchObject({
      decided_by: ada.id,
      approval_state: 'approved',
      arguments: '{"command":"echo hi > made; cat made"}',
    })
    expect(JSON.parse(audit[1]?.body ?? '')).toMatchObject({
      exit_code: 0,
      sandbox: expect.any(String),
    })
  })

  test('APPR-13 APPR-05 the card tells waiting, approved, running and the exit code, each after it was stored', async () => {
    const model = createScriptedModel([call('bash', { command: 'sleep 0.3; exit 3' }), say('done')])
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.decide({ kind: 'approve' }, eve)
    const states = flow.platform.statesOf(1)
    expect(states[0]).toBe('waiting')
    expect(states.at(-1)).toBe('finished')
    expect(flow.platform.cards()[0]?.status).toMatchObject({ by: 'Eve', outcome: 'failed: exit 3' })
  })

  test('APPR-03 ERR-07 a reason for a denial reaches the model, and nothing ran', async () => {
    const model = createScriptedModel([call('bash', { command: 'touch ran' }), say('ok')])
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.decide({ kind: 'deny', reason: 'wrong directory' })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('error: rejected by user: wrong directory'),
    })
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'denied', attempt: 0, error_category: 'policy_blocked' })
  })

  test('APPR-04 CHAT-02 somebody else in the group may not answer; an approver may; the second tap is told who was first', async () => {
    const model = createScriptedModel([call('bash', { command: 'true' }), say('ok')])
    await using flow = await createFlow({ model })
    await flow.say('go')
    const { id } = await pendingApproval(flow.db)
    await flow.decide({ kind: 'approve' }, bob)
    expect(flow.platform.texts().at(-1)).toContain(
      'You may not answer this; Ada or an approver can.',
    )
    await flow.decide({ kind: 'approve' }, eve)
    await flow.act({ kind: 'decision', approvalId: id, decision: { kind: 'deny' } }, olga)
    await flow.quiet()
    expect(flow.platform.texts().at(-1)).toMatch(
      /Already approved by Eve (?:at|on) (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC/,
    )
    expect(flow.platform.answers()).toEqual(['ok'])
  })

  test('APPR-07 INT-24 Always by an approver lets the like run, resolves what waits, and is written to the rules', async () => {
    const model = createScriptedModel([
      calls([toRequest('bash', { command: 'wc -c a' }), toRequest('bash', { command: 'wc -c b' })]),
      say('one'),
      call('bash', { command: 'wc -c c' }),
      say('two'),
    ])
    await using flow = await createFlow({ model })
    await flow.say('count')
    expect(flow.platform.cards()).toHaveLength(2)
    expect(flow.platform.cards()[0]?.alwaysPatterns).toEqual(['wc *'])
    await flow.decide({ kind: 'always' }, eve, 1)
    expect(flow.platform.cards().map((card) => card.status.kind)).toEqual(['finished', 'finished'])
    await flow.say('again')
    expect(flow.platform.cards()).toHaveLength(2)
    expect(flow.platform.answers()).toEqual(['one', 'two'])
    const { text } = await flow.product.ctx.permissions.load('default')
    expect(text).toContain('"wc *": "allow"')
  })

  test('APPR-07 THREAT-4 Always by a user holds for that user in that session only', async () => {
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      return last?.role === 'tool' ? say('ok') : call('bash', { command: 'wc -c a' })
    })
    await using flow = await createFlow({ model })
    await flow.say('count')
    await flow.decide({ kind: 'always' }, ada)
    await flow.say('count')
    expect(flow.platform.cards()).toHaveLength(1)
    await flow.say('count', bob)
    expect(flow.platform.cards()).toHaveLength(2)
    const { text } = await flow.product.ctx.permissions.load('default')
    expect(text).not.toContain('wc *')
  })

  test('APPR-09 CHAT-08 a message while a card waits is kept, acknowledged, and answers nothing', async () => {
    const model = createScriptedModel([call('bash', { command: 'true' }), say('ok')])
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.say('yes')
    expect(flow.platform.texts().at(-1)).toContain('Approval 1 is still waiting')
    expect(flow.platform.cards()[0]?.status.kind).toBe('waiting')
    await flow.say('/approve')
    expect(flow.platform.answers()).toEqual(['ok'])
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })
})
