import { describe, expect, test } from 'vitest'
import type { CallOutcome } from '../../../src/rules/jobs/contract.ts'
import { type BenchContext, bob, createBenchContext } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const gave = (output: string): CallOutcome => ({ kind: 'succeeded', output })

/** Answers the open call, and lets the turn go on. */
async function answer(bench: BenchContext, output: string, step = true): Promise<void> {
  const open = (await bench.calls()).filter(({ settled_at }) => settled_at === null)
  for (const one of open) await bench.result(one, gave(output))
  if (step) await bench.step()
}

async function turns(bench: BenchContext) {
  return bench.database.db
    .selectFrom('turn')
    .select(['state', 'failure', 'stopped_by', 'step'])
    .orderBy('created_at')
    .execute()
}

describe('a turn that goes round in circles', () => {
  test('LOOP-11 is stopped after the third identical call; the model gets no further step and the person a notice', async () => {
    const model = createScriptedModel([call('read', { path: 'a' })])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (const output of ['one', 'two', 'three']) await answer(bench, output)
    expect(model.requests).toHaveLength(3)
    expect(await turns(bench)).toEqual([
      {
        state: 'stopped',
        failure: 'doom loop: the same call of read was made three times in a row',
        stopped_by: null,
        step: 3,
      },
    ])
    expect(await bench.notices()).toEqual([
      expect.stringMatching(/^Stopped, because it was going in circles: the same call of read/),
    ])
    expect(bench.events.at(-1)).toMatchObject({ kind: 'turn_ended', state: 'stopped', steps: 3 })
    await bench.step()
    expect(model.requests).toHaveLength(3)
  })

  test('LOOP-11 is stopped when three steps gave the same, but for times, though each asked otherwise', async () => {
    const model = createScriptedModel((_, at) => call('read', { path: `file-${at}` }))
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (const ms of [12, 90, 7]) await answer(bench, `still the same after ${ms} ms`)
    expect(model.requests).toHaveLength(3)
    expect((await turns(bench))[0]?.failure).toBe(
      'doom loop: the last three steps gave the same results',
    )
  })

  test('LOOP-11 ERR-04 the same wrong call three times ends it too, although its first block says more', async () => {
    const model = createScriptedModel((_, at) => call('read', { paht: `${at}` }))
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    expect(model.requests).toHaveLength(3)
    expect((await turns(bench))[0]?.state).toBe('stopped')
  })

  test('LOOP-11 INT-30 whoever takes the turn over after a crash comes to the same end', async () => {
    const model = createScriptedModel([call('read', { path: 'a' })])
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (const output of ['one', 'two']) await answer(bench, output)
    await answer(bench, 'three', false)
    await bench.step(bench.another())
    expect(model.requests).toHaveLength(3)
    expect((await turns(bench))[0]?.state).toBe('stopped')
  })

  test('LOOP-11 LOOP-03 what another person wrote meanwhile is the next turn', async () => {
    const model = createScriptedModel(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('my turn')
        ? say('yes')
        : call('read', { path: 'a' }),
    )
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    await answer(bench, 'one')
    await bench.say('my turn', bob)
    for (const output of ['two', 'three']) await answer(bench, output)
    await bench.step()
    expect((await turns(bench)).map(({ state }) => state)).toEqual(['stopped', 'done'])
    expect((await bench.notices()).at(-1)).toBe('yes')
  })
})

describe('a turn that does not', () => {
  test('LOOP-11 what its caller writes meanwhile begins the count anew', async () => {
    const model = createScriptedModel((_, at) =>
      at < 5 ? call('read', { path: 'a' }) : say('done'),
    )
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (const output of ['one', 'two']) await answer(bench, output)
    await bench.say('once more, it is nearly there')
    for (const output of ['three', 'four', 'five']) await answer(bench, output)
    expect((await bench.notices()).at(-1)).toBe('done')
    expect((await turns(bench)).map(({ state }) => state)).toEqual(['done'])
  })

  test('LOOP-11 the count is of one turn: the same is asked again in the next', async () => {
    const model = createScriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? call('read', { path: 'a' }) : say('done'),
    )
    await using bench = await createBenchContext(model)
    for (let times = 0; times < 4; times += 1) {
      await bench.say('look')
      await bench.step()
      await answer(bench, 'the same')
    }
    expect((await turns(bench)).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
  })

  test('LOOP-11 LOOP-10 at the cap the model sums up, as at any cap', async () => {
    const model = createScriptedModel(({ toolChoice }) =>
      toolChoice === 'none' ? say('sum') : call('read', { path: 'a' }),
    )
    await using bench = await createBenchContext(model, { maxToolIterations: 3 })
    await bench.say('go')
    await bench.step()
    for (const output of ['one', 'two', 'three']) await answer(bench, output)
    expect((await bench.notices()).at(-1)).toBe('sum')
  })

  test('LOOP-11 identical calls of one message are one, and a look after each change is none', async () => {
    const model = createScriptedModel((_, at) => {
      if (at === 0) return calls(Array.from({ length: 4 }, () => toRequest('read', { path: 'a' })))
      return at < 7 ? call('read', { path: at % 2 === 0 ? 'log' : `part-${at}` }) : say('done')
    })
    await using bench = await createBenchContext(model)
    await bench.say('go')
    await bench.step()
    for (let at = 0; at < 7; at += 1) await answer(bench, `output ${'x'.repeat(at)}`)
    expect((await bench.notices()).at(-1)).toBe('done')
  })
})
