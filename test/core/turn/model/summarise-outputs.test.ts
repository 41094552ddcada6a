import { expect, test } from 'vitest'
import type { CoreSettings } from '../../../../src/core/context.ts'
import { sweep } from '../../../../src/core/turn/sweep.ts'
import { ModelError, type ModelRequest } from '../../../../src/ports/model.ts'
import { type BenchContext, createBenchContext } from '../../../support/bench-context.ts'
import {
  call,
  calls,
  createScriptedModel,
  type Scripted,
  say,
  toRequest,
} from '../../../support/scripted-model.ts'

const longAgo = new Date(0)
const long = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`).join('\n')
const readIt = call('read', { path: 'a' })

function isSummary(request: ModelRequest): boolean {
  return request.system.startsWith('You sum up')
}

/** A turn whose call gave more than the model is shown, about to think again. */
async function openBench(
  summary: (request: ModelRequest) => Scripted | Promise<Scripted>,
  settings: Partial<CoreSettings> = {},
) {
  const model = createScriptedModel((request) => {
    if (isSummary(request)) return summary(request)
    return request.messages.at(-1)?.role === 'tool' ? say('done') : readIt
  })
  const over = { overflowThreshold: 500, summariseOutput: true, ...settings }
  const bench = await createBenchContext(model, over)
  await bench.say('hi')
  await bench.step()
  return { bench, model, asked: () => model.requests.filter(isSummary) }
}

async function settle(bench: BenchContext): Promise<void> {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.result(row, { kind: 'succeeded', output: long })
}

/** Another agent finds that the lease has run out, and takes the turn as far as it goes. */
async function takeOver(bench: BenchContext): Promise<void> {
  await bench.database.db.updateTable('turn').set({ lease_until: longAgo }).execute()
  const other = bench.another()
  await sweep(other, longAgo)
  await bench.step(other)
}

function shown(requests: readonly ModelRequest[]): string {
  const result = requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')
  return result?.role === 'tool' ? result.text : ''
}

test('OUT-13 output over the threshold is summed up by the turn’s model instead of cut, marked, with the whole behind it', async () => {
  const { bench, model, asked } = await openBench(() => say('It has 300 lines.'))
  await using _bench = bench
  await settle(bench)
  await bench.step()
  expect(asked()).toHaveLength(1)
  const text = shown(model.requests)
  expect(text).toMatch(
    /^\[a model summed up the \d+ characters .*all of it: overflow:\S{36}\]\nIt has 300 lines\.$/,
  )
  // LOOP-12: what it says of bytes and tokens is not what a turn's prompt does.
  const usage = await bench.database.db.selectFrom('usage').select('prompt_bytes').execute()
  expect(usage.filter(({ prompt_bytes }) => Number(prompt_bytes) === 0)).toHaveLength(1)
  const id = /overflow:(\S{36})/.exec(text)?.[1]
  const kept = await bench.database.db.selectFrom('tool_overflow').selectAll().execute()
  expect(kept).toMatchObject([{ id, content: long }])
  expect((await bench.calls())[0]).toMatchObject({ truncated: true, summary_state: 'done' })
  expect((await bench.notices()).at(-1)).toBe('done')
})

test('OUT-13 THREAT-18 the output is fenced by a mark that it cannot know, and no tool is offered', async () => {
  const { bench, asked } = await openBench(() => say('x'))
  await using _bench = bench
  await settle(bench)
  await bench.step()
  const [request] = asked()
  expect(request).toMatchObject({ tools: [], toolChoice: 'none' })
  const [message] = request?.messages ?? []
  const text = message?.role === 'user' ? message.text : ''
  const [, mark] = /\n(=== \S{22} ===)\n/.exec(text) ?? []
  expect(text).toBe(`What the tool read printed:\n${mark}\n${long}\n${mark}`)
})

test('OUT-13 LOOP-15 its tokens are counted', async () => {
  const { bench } = await openBench(() => say('x'))
  await using _bench = bench
  await settle(bench)
  await bench.step()
  const usage = await bench.database.db.selectFrom('usage').selectAll().execute()
  expect(usage.map(({ state, input_tokens }) => [state, input_tokens])).toEqual(
    Array(3).fill(['done', 100]),
  )
})

test.each([
  ['fails', () => new ModelError('unreachable', 'no')],
  ['says nothing', () => say('  ')],
])('OUT-13 where the model %s, head and tail are shown', async (_how, answer) => {
  const { bench, model, asked } = await openBench(answer)
  await using _bench = bench
  await settle(bench)
  await bench.step()
  expect(asked()).toHaveLength(1)
  expect(shown(model.requests)).toMatch(
    /^line 1\n.*characters left out; read them with overflow:.*line 300$/s,
  )
  expect((await bench.calls())[0]).toMatchObject({ summary: null, summary_state: 'failed' })
  expect((await bench.notices()).at(-1)).toBe('done')
})

test.each([
  ['fails', () => new ModelError('refused', 'no')],
  ['says nothing', () => say('  ')],
])(
  'OUT-13 MODEL-04 where the model %s, the fallback is asked once, and the turn stays with its own model',
  async (_how, answer) => {
    const { bench, model, asked } = await openBench(answer)
    await using _bench = bench
    const fallback = { ...createScriptedModel([say('By the second.')]), name: 'second' }
    await settle(bench)
    await bench.step({ ...bench.ctx, fallback })
    expect([asked().length, fallback.requests.length]).toEqual([1, 1])
    expect(shown(model.requests)).toMatch(/^\[a model summed up .*\nBy the second\.$/s)
    expect((await bench.notices()).at(-1)).toBe('done')
  },
)

test('OUT-13 MODEL-04 where the fallback fails too, head and tail are shown', async () => {
  const { bench, model } = await openBench(() => new ModelError('refused', 'no'))
  await using _bench = bench
  const fallback = { ...createScriptedModel([new ModelError('unreachable', 'no')]), name: 'second' }
  await settle(bench)
  await bench.step({ ...bench.ctx, fallback })
  expect(fallback.requests).toHaveLength(1)
  expect(shown(model.requests)).toMatch(/^line 1\n.*characters left out/s)
})

test('OUT-13 LOOP-15 where the budget is used up, none is made', async () => {
  const budgets = {
    warnAt: 0.8,
    exempt: [],
    caller: { toolCalls: undefined, tokens: 50, cost: undefined },
    session: { toolCalls: undefined, tokens: undefined, cost: undefined },
  }
  const { bench, asked } = await openBench(() => say('x'), { budgets })
  await using _bench = bench
  await settle(bench)
  await bench.step()
  expect(asked()).toEqual([])
})

test('OUT-13 INT-1 an agent that is replaced over it changes nothing, and the next one makes it', async () => {
  let isFirst = true
  const { bench, asked } = await openBench(async () => {
    if (!isFirst) return say('by the second')
    isFirst = false
    // The lease runs out while the model is still asked, and another agent takes the turn to its end.
    await takeOver(bench)
    return say('by the first')
  })
  await using _bench = bench
  await settle(bench)
  await bench.step()
  expect(asked()).toHaveLength(2)
  expect((await bench.calls())[0]?.summary).toContain('by the second')
  expect((await bench.notices()).filter((text) => text === 'done')).toHaveLength(1)
})

test('OUT-13 REL-01 one whose agent died over it is made by whoever takes the turn', async () => {
  let dies = true
  const { bench, model } = await openBench(() => {
    if (!dies) return say('after all')
    dies = false
    throw new Error('killed')
  })
  await using _bench = bench
  await settle(bench)
  await expect(bench.step()).rejects.toThrow('killed')
  expect((await bench.calls())[0]?.summary_state).toBe('wanted')
  await takeOver(bench)
  expect(shown(model.requests)).toContain('after all')
})

test('OUT-13 LOOP-14 /stop ends it', async () => {
  const { bench, asked } = await openBench(async ({ signal }) => {
    await bench.say('/stop')
    return signal.aborted ? new ModelError('aborted', 'stopped') : say('too late')
  })
  await using _bench = bench
  await settle(bench)
  await bench.step()
  expect(asked()).toHaveLength(1)
  expect((await bench.calls())[0]?.summary).toBeNull()
  const turn = await bench.database.db.selectFrom('turn').select('state').executeTakeFirstOrThrow()
  expect(turn.state).toBe('stopped')
})

test.each([
  ['before', 0, 'sums up', () => say('It has 300 lines.'), 'done'],
  ['behind', 1, 'sums up', () => say('It has 300 lines.'), 'done'],
  ['behind', 1, 'fails', () => new ModelError('unreachable', 'no'), 'failed'],
])(
  'OUT-13 OUT-11 for a call and one %s it that was answered with its result the model is asked once (%i, it %s)',
  async (_where, copy, _how, answer, state) => {
    const model = createScriptedModel((request) => {
      if (isSummary(request)) return answer()
      if (request.messages.at(-1)?.role === 'tool') return say('done')
      return calls([toRequest('read', { path: 'a' }), toRequest('read', { path: 'a' })])
    })
    await using bench = await createBenchContext(model, {
      overflowThreshold: 500,
      summariseOutput: true,
    })
    await bench.say('hi')
    await bench.step()
    const rows = await bench.calls()
    const [source, again] = [rows[1 - copy], rows[copy]]
    if (source === undefined || again === undefined) throw new Error('no calls')
    await bench.result(source, { kind: 'succeeded', output: long })
    await bench.database.db
      .updateTable('tool_call')
      .set({ cached_from: source.id })
      .where('id', '=', again.id)
      .execute()
    await bench.result(again, { kind: 'unchanged' })
    await bench.step()
    expect(model.requests.filter(isSummary)).toHaveLength(1)
    const [first, second] = await bench.calls()
    expect([first?.summary_state, second?.summary_state]).toEqual([state, state])
    expect(first?.summary ?? null).toBe(second?.summary)
  },
)

test('OUT-13 of a call that failed the error stays before the summary', async () => {
  const { bench, model } = await openBench(() => say('short'))
  await using _bench = bench
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  const error = { category: 'timeout', message: 'It took too long' } as const
  await bench.result(row, { kind: 'failed', error, output: long })
  await bench.step()
  expect(shown(model.requests)).toMatch(
    /^\[tool_error\]\n.*It took too long.*\n\n\[a model summed up .*\nshort$/s,
  )
})

test('OUT-13 without the setting nothing is summed up, nor what is short enough', async () => {
  for (const settings of [{ summariseOutput: false }, { overflowThreshold: 50_000 }]) {
    const { bench, asked } = await openBench(() => say('x'), settings)
    await using _bench = bench
    await settle(bench)
    await bench.step()
    expect(asked()).toEqual([])
    expect((await bench.calls())[0]?.summary_state).toBeNull()
  }
})

test('OUT-13 a summary is no longer than head and tail would be, and what it holds is plain text', async () => {
  const { bench, model } = await openBench(() => say(`\u001b[31mred\u001b[0m ${'x'.repeat(2_000)}`))
  await using _bench = bench
  await settle(bench)
  await bench.step()
  const text = shown(model.requests)
  expect(text).toContain('\nred xxx')
  expect(text).toMatch(/\n\[the summary was cut\]$/)
  expect(text.length).toBeLessThan(800)
})
