import { expect, test } from 'vitest'
import { createFlow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

const settings = {
  COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
  COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: JSON.stringify({ write: { requires: ['list_directory'] } }),
  COUNTERSIGN_TOOLS_SCHEMA_FILTER_ABOVE_TOOLS: '5',
  COUNTERSIGN_TOOLS_SCHEMA_FILTER_ALWAYS_ON: '["list_directory","write"]',
  COUNTERSIGN_TOOLS_TAFC_ENABLED: 'true',
  COUNTERSIGN_TOOLS_TAFC_COMPLEXITY_THRESHOLD: '0.2',
}

test('SCH-01 SCH-02 SCH-03 MODEL-06 what the configuration says of tools is what the model is shown, step by step, and after a restart', async () => {
  const model = createScriptedModel([
    call('list_directory', { path: '.' }),
    call('tool_search', { query: 'find files by name' }),
    call('write', { thinking: 'which path?', path: 'new.txt', content: 'x' }),
    say('done'),
  ])
  await using flow = await createFlow({ model, settings })
  await flow.say('make a file')
  expect(flow.platform.answers()).toEqual(['done'])
  const shown = model.requests.map(({ tools }) => tools.map(({ name }) => name))
  expect(shown[0]).toEqual(['list_directory', 'tool_search'])
  expect(shown[1]).toEqual(['list_directory', 'tool_search', 'write'])
  expect(shown[2]).toEqual(expect.arrayContaining([...(shown[1] ?? []), 'find_path']))
  expect(shown[3]).toEqual(shown[2])
  for (const [at, { system }] of model.requests.entries()) {
    expect(system).toContain(`<tools>\n${shown[at]?.join('\n')}\n</tools>`)
  }
  const write = model.requests[1]?.tools.find(({ name }) => name === 'write')
  expect(Object.keys(Object(write?.schema['properties']))[0]).toBe('thinking')
  const calls = await flow.db
    .selectFrom('tool_call')
    .select(['tool', 'state', 'arguments'])
    .orderBy('number')
    .execute()
  expect(calls.at(-1)).toEqual({
    tool: 'write',
    state: 'succeeded',
    arguments: '{"path":"new.txt","content":"x"}',
  })

  await flow.product[Symbol.asyncDispose]()
  const next = createScriptedModel([say('again')])
  await using later = await createFlow({ model: next, settings, over: flow })
  await later.say('and now?')
  // What was found for another turn is left out again.
  expect(next.requests[0]?.tools.map(({ name }) => name)).toEqual(shown[1])
})
