import { describe, expect, test } from 'vitest'
import { leftBehind } from '../adapters/sandbox/fixtures/processes.ts'
import { auditRows } from '../support/audit-rows.ts'
import { bob, createFlow, eve, until } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

describe('slash commands', () => {
  test('CHAT-03 /help, /status, /output, /approvals and an unknown command answer', async () => {
    const model = createScriptedModel([call('bash', { command: 'printf out' }), say('ok')])
    await using flow = await createFlow({ model })
    await flow.say('/help')
    expect(flow.platform.texts().at(-1)).toContain('/approvals')
    await flow.say('/nonsense')
    expect(flow.platform.texts().at(-1)).toBe('There is no command /nonsense. /help lists them.')
    await flow.say('/output')
    expect(flow.platform.texts().at(-1)).toBe('There is no such tool call in this session.')
    await flow.say('go')
    await flow.say('/approvals')
    expect(flow.platform.statesOf(1)).toEqual(['waiting', 'waiting'])
    await flow.say('/status')
    expect(flow.platform.texts().at(-1)).toMatch(/Model: .*scripted[\s\S]*waiting for an answer: 1/)
    await flow.say('/approve 7')
    expect(flow.platform.texts().at(-1)).toContain('There is no approval 7')
    await flow.say('/approve 1')
    await flow.say('/output 1')
    expect(flow.platform.texts().at(-1)).toMatch(/Call 1, bash: exit 0\n\n[\s\S]*out/)
  })

  test('LOOP-14 BASH-03 /stop ends a running command within a second or two, whatever it ignores', async () => {
    const command = 'trap "" TERM; echo started > started; sleep 300; echo survived > survived'
    const model = createScriptedModel([call('bash', { command }), say('never')])
    await using flow = await createFlow({ model })
    await flow.say('go')
    const { id } = await flow.db.selectFrom('approval').select('id').executeTakeFirstOrThrow()
    await flow.act({ kind: 'decision', approvalId: id, decision: { kind: 'approve' } })
    const state = async () =>
      (await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()).state
    await until('it runs', async () => (await state()) === 'running')
    await flow.act({ kind: 'message', text: '/stop' }, bob)
    expect(await state()).toBe('running')
    const begun = performance.now()
    await flow.act({ kind: 'message', text: '/stop' }, eve)
    const turn = await flow.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    expect(turn).toMatchObject({ state: 'stopped', stopped_by: 'Eve' })
    await until('it is settled', async () => (await state()) === 'cancelled')
    // It would have slept for minutes; the rest is what a busy machine may hold up.
    expect(performance.now() - begun).toBeLessThan(60_000)
    await flow.quiet()
    expect(flow.platform.answers()).toEqual([])
  })

  test('LOOP-13 CHAT-03 /clear gives a fresh transcript and quota, keeps the files', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? say(`after ${request.messages.length}`)
        : call('write', { path: 'kept.txt', content: 'x' }),
    )
    await using flow = await createFlow({
      model,
      settings: { COUNTERSIGN_TOOLS_MAX_TOOL_CALLS_PER_SESSION: '1' },
    })
    await flow.say('one')
    await flow.say('two')
    expect(flow.platform.texts().join('\n')).toContain(
      'The quota of 1 tool calls a session is used up',
    )
    await flow.say('/clear')
    await flow.say('three')
    expect(flow.platform.answers()).toEqual(['after 3', 'after 7', 'after 3'])
    const states = await flow.db
      .selectFrom('tool_call')
      .select('state')
      .orderBy('created_at')
      .execute()
    expect(states.map((row) => row.state)).toEqual(['succeeded', 'failed', 'succeeded'])
  })

  test('BOX-02 DECISION-1 /clear restarts the box: what a command left behind is gone, files stay', async () => {
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role === 'tool') return say(last.text)
      const command = `echo left > left; ${leftBehind('exec sleep 4321')}`
      return last?.role === 'user' && last.text === 'look'
        ? call('bash', {
            command:
              'until [ -e begun ]; do sleep 0.05; done; cat left; ps aux | grep -c "sleep 432[1]$"',
          })
        : call('bash', { command, background: true })
    })
    await using flow = await createFlow({ model })
    await flow.say('leave')
    await flow.decide({ kind: 'approve' })
    await flow.say('look')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toMatch(/left\n1/)
    await flow.say('/clear')
    await flow.say('look')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toMatch(/left\n0/)
  })

  test('BASH-01 DECISION-27 a background job outlives its turn and a later command, and /stop ends it', async () => {
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role === 'tool') return say(last.text)
      return last?.role === 'user' && last.text === 'look'
        ? call('bash', { command: 'ps aux | grep -c "sleep 876[5]"' })
        : call('bash', { command: 'sleep 8765', background: true })
    })
    await using flow = await createFlow({ model })
    await flow.say('begin')
    expect(flow.platform.cards()[0]?.what).toContain('background: true')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toMatch(/"job":"[0-9a-f]{8}","log":"~\/\.jobs\//)
    await flow.say('look')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toMatch(/^1$/m)
    await flow.say('/stop')
    await flow.say('look')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toMatch(/^0$/m)
  })

  test('TERM-03 a person’s own command runs in the box without a question, audited as theirs; vetoes hold', async () => {
    const model = createScriptedModel([say('never')])
    await using flow = await createFlow({ model })
    await flow.act({ kind: 'shell', command: 'echo mine' }, eve)
    await flow.quiet()
    expect(flow.platform.texts().at(-1)).toContain('mine')
    expect(flow.platform.cards()).toEqual([])
    await flow.act({ kind: 'shell', command: 'sudo true' }, eve)
    await flow.quiet()
    expect(flow.platform.texts().at(-1)).toMatch(/^The command was not run: [^\n]*sudo[^\n]*\.$/)
    expect(model.requests).toEqual([])
    const audit = (await auditRows(flow.db)).map(({ kind, caller_id, result }) => ({
      kind,
      caller_id,
      result,
    }))
    expect(audit).toEqual([
      { kind: 'decided', caller_id: eve.id, result: null },
      { kind: 'settled', caller_id: eve.id, result: 'success' },
      { kind: 'decided', caller_id: eve.id, result: null },
      { kind: 'settled', caller_id: eve.id, result: 'blocked' },
    ])
  })
})

describe('what the model sees', () => {
  test('OUT-09 long output is cut, kept, and read back in windows by this session only', async () => {
    const id = { value: '' }
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role !== 'tool') {
        return last?.role === 'user' && last.text === 'back'
          ? call('read_overflow', { id: id.value, offset: 10, limit: 2 })
          : call('bash', { command: 'seq 1 30000' })
      }
      const found = /overflow:[0-9a-f-]{36}/.exec(last.text)?.[0]
      if (found !== undefined && last.tool === 'bash') id.value = found
      return say(last.text)
    })
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    const shown = flow.platform.answers().at(-1) ?? ''
    expect(shown.length).toBeLessThan(52_000)
    expect(id.value).toMatch(/^overflow:/)
    await flow.say('back')
    expect(flow.platform.answers().at(-1)).toContain('11\n12')
    const kept = () => flow.db.selectFrom('tool_overflow').select('id').execute()
    expect(await kept()).toHaveLength(1)
    await flow.say('/clear')
    expect(await kept()).toEqual([])
    await flow.say('back')
    expect(flow.platform.answers().at(-1)).toContain('was not found')
  })

  test.each([
    [
      { pattern: '^2999\\d$' },
      '[matches 1 to 10 of 10, in 30001 lines]\n29990: 29990\n29991: 29991\n',
    ],
    [{ pattern: '77', offset: 5, limit: 1 }, '[matches 6 to 6 of 840, in 30001 lines]\n577: 577'],
    [{ pattern: 'no such' }, '[no line of 30001 matches]'],
    [{ offset: 40_000 }, '[nothing from line 40001 on: there are 30001]'],
    [{ pattern: '77', offset: 840 }, '[nothing from match 841 on: there are 840, in 30001 lines]'],
    [
      { pattern: '(?=x)' },
      'category: invalid_parameters\nerror: pattern: the regular expression uses lookaround',
    ],
  ])('OUT-09 a long output is searched by %j', async (search, expected) => {
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role !== 'tool') return call('bash', { command: 'seq 1 30000' })
      const id = /overflow:[0-9a-f-]{36}/.exec(last.text)?.[0]
      return last.tool === 'bash' ? call('read_overflow', { id, ...search }) : say(last.text)
    })
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toContain(expected)
  })

  test('CONF-05 with tools off the model is offered none and runs none', async () => {
    const model = createScriptedModel([call('read', { path: 'a' }), say('ok')])
    await using flow = await createFlow({ model, settings: { COUNTERSIGN_TOOLS_ENABLED: 'false' } })
    await flow.say('go')
    expect(model.requests[0]?.tools).toEqual([])
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'failed', error_category: 'tool_not_found' })
  })

  test('REG-05 REG-06 LOOP-06 every call has one result in order, however wrong it was', async () => {
    const model = createScriptedModel([
      calls([
        toRequest('read', '{not json', 'a'),
        toRequest('read', { path: 5 }, 'b'),
        toRequest('list_directory', { path: '.' }, 'c'),
        toRequest('read', { path: '/etc/shadow' }, 'd'),
        toRequest('read', { path: 'a\0b' }, 'e'),
        toRequest('grep', { pattern: '(', path: '.' }, 'f'),
      ]),
      say('ok'),
    ])
    await using flow = await createFlow({ model })
    await flow.say('go')
    const results = model.requests[1]?.messages.filter((message) => message.role === 'tool') ?? []
    expect(results.map((result) => result.callId)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    const categories = results.map((result) => /category: (\w+)/.exec(result.text)?.[1])
    expect(categories).toEqual([
      'invalid_parameters',
      'type_mismatch',
      undefined,
      'policy_blocked',
      'policy_blocked',
      'invalid_parameters',
    ])
  })

  test('ERR-02 MODEL-04 an unreachable model ends the turn in plain words, and nothing is lost', async () => {
    const { ModelError } = await import('../../src/ports/model.ts')
    const model = createScriptedModel([
      new ModelError('unreachable', 'The model could not be reached.'),
      say('now'),
    ])
    const settings = { COUNTERSIGN_MODEL_RETRY_BUDGET: '0' }
    await using flow = await createFlow({ model, settings })
    await flow.say('first')
    expect(flow.platform.texts().at(-1)).toContain('The model could not be reached.')
    await flow.say('second')
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'user'])
    expect(flow.platform.answers()).toEqual(['now'])
  })

  test('MODEL-01 the rendered prefix is the same from step to step and turn to turn', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user' ? call('list_directory', { path: '.' }) : say('ok'),
    )
    await using flow = await createFlow({ model })
    await flow.say('one')
    await flow.say('two')
    const { requests } = model
    expect(new Set(requests.map((request) => request.system)).size).toBe(1)
    expect(new Set(requests.map((request) => JSON.stringify(request.tools))).size).toBe(1)
    const [first, , , last] = requests
    expect(last?.messages.slice(0, first?.messages.length)).toEqual(first?.messages)
    const names = first?.tools.map((tool) => tool.name) ?? []
    expect(names).toEqual([...names].sort())
  })
})
