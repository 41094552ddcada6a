import { expect, test } from 'vitest'
import type { ToolView } from '../../../src/domain/tool/tool-view.ts'
import type { CallOutcome } from '../../../src/rules/jobs/contract.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const toolView: ToolView = {
  dependencies: {
    boostPerDep: 0.15,
    maxTotalBoost: 0.2,
    rules: { edit: { requires: ['read'], prefers: [] }, grep: { requires: ['bash'], prefers: [] } },
  },
}
const edit = { path: 'a', old_string: 'x', new_string: 'y' }

async function settleAll(bench: BenchContext, outcome: CallOutcome = ok): Promise<void> {
  for (const one of await bench.calls())
    if (one.settled_at === null) await bench.result(one, outcome)
}

test('SCH-03 MODEL-06 a hidden tool is in neither the catalogue nor the schemas, and is there in the step after its requirement succeeded', async () => {
  const model = createScriptedModel([call('read', { path: 'a' }), say('done')])
  await using bench = await createBenchContext(model, { toolView })
  await bench.say('go')
  await bench.step()
  await settleAll(bench)
  await bench.step()
  const [first, second] = model.requests
  const names = (request = first) => request?.tools.map(({ name }) => name)
  expect(names()).not.toContain('edit')
  expect(first?.system).not.toMatch(/^edit$/m)
  expect(names(second)).toEqual([...(names() ?? []), 'edit'].sort())
  expect(second?.system).toMatch(/<tools>\n(?:.*\n)*edit\n(?:.*\n)*<\/tools>/)
})

test('SCH-03 a hidden tool that is called all the same is not found, and the model is told what comes first, without its schema', async () => {
  const model = createScriptedModel([
    calls([toRequest('read', { path: 'a' }), toRequest('edit', edit)]),
    call('edit', edit),
    say('done'),
  ])
  await using bench = await createBenchContext(model, { toolView })
  await bench.say('go')
  await bench.step()
  const [, early] = await bench.calls()
  expect(early).toMatchObject({ state: 'failed', error_category: 'tool_not_found' })
  expect(early?.result).toContain('error: edit is there once read has succeeded in this session')
  expect(early?.result).not.toContain('schema:')
  expect(bench.jobs).toHaveLength(1)
  await settleAll(bench)
  await bench.step()
  expect((await bench.calls()).at(-1)).toMatchObject({ tool: 'edit', state: 'queued' })
})

test.each<[string, string, CallOutcome, boolean]>([
  [
    'a call that failed',
    'read',
    { kind: 'failed', error: { category: 'timeout', message: 'no' } },
    false,
  ],
  ['a command that ended with 1', 'bash', exited(1), false],
  ['a command that ended with 0', 'bash', exited(0), true],
])('SCH-03 only success meets a requirement: %s', async (_what, tool, outcome, counts) => {
  const args = tool === 'bash' ? { command: 'ls' } : { path: 'a' }
  const model = createScriptedModel([call(tool, args), say('done')])
  await using bench = await createBenchContext(model, { toolView })
  bench.rules.text = '{ "*": "allow" }'
  await bench.say('go')
  await bench.step()
  await settleAll(bench, outcome)
  await bench.step()
  const shown = model.requests.at(-1)?.tools.map(({ name }) => name)
  expect(model.requests).toHaveLength(2)
  expect(shown?.includes('grep')).toBe(counts)
  expect(shown).not.toContain('edit')
})

test('SCH-03 what succeeded counts in later turns of the session, and no more after /clear', async () => {
  const model = createScriptedModel([
    call('read', { path: 'a' }),
    say('one'),
    say('two'),
    say('three'),
  ])
  await using bench = await createBenchContext(model, { toolView })
  await bench.say('go')
  await bench.step()
  await settleAll(bench)
  await bench.step()
  await bench.say('and now')
  await bench.step()
  await bench.say('/clear')
  await bench.say('anew')
  await bench.step()
  const shown = model.requests.map(({ tools }) => tools.some(({ name }) => name === 'edit'))
  expect(shown).toEqual([false, true, true, false])
})

test('SCH-03 without [tools.dependencies] nothing is held back', async () => {
  const model = createScriptedModel([say('done')])
  await using bench = await createBenchContext(model)
  await bench.say('go')
  await bench.step()
  expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('edit')
})

function exited(code: number): CallOutcome {
  const envelope = {
    ...{ stdout: '', stderr: '', exit_code: code, truncated: false },
    ...{ duration_ms: 1, timed_out: false },
  }
  return { kind: 'succeeded', output: '', envelope }
}
