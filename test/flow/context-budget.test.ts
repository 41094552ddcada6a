import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../src/ports/model.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import {
  call,
  calls,
  createScriptedModel,
  type ScriptedModel,
  say,
  toRequest,
} from '../support/scripted-model.ts'

const settings = (tokens: number) => ({
  COUNTERSIGN_AGENT_CONTEXT_BUDGET_TOKENS: String(tokens),
  COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS: '100',
})

function bytesOf(request: ModelRequest | undefined): number {
  const { system, tools, messages } = request ?? {}
  return Buffer.byteLength(JSON.stringify([system, tools, messages]))
}

/** A model that reports what its prompts come to at four bytes a token. */
function measured(script: (index: number, request: ModelRequest) => ModelAnswer): ScriptedModel {
  return createScriptedModel((request, index) => {
    const inputTokens = Math.ceil(bytesOf(request) / 4)
    const answer = script(index, request)
    return { ...answer, usage: { ...answer.usage, inputTokens } }
  })
}

/** Files of 20,000 characters in the conversation's workspace. */
async function fill(flow: Flow, names: readonly string[]): Promise<void> {
  await flow.say('make a workspace')
  const { id } = await flow.db.selectFrom('conversation').select('id').executeTakeFirstOrThrow()
  const place = join(flow.dataDir, 'workspaces', id)
  for (const name of names)
    await writeFile(join(place, name), `${name} ${'word '.repeat(19)}\n`.repeat(200))
}

const resultsIn = (model: ScriptedModel, at: number) =>
  model.requests.at(at)?.messages.flatMap((one) => (one.role === 'tool' ? [one.text] : [])) ?? []

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

test('LOOP-12 MODEL-01 over the budget older results become one line each, for good and rarely, and can be read back', async () => {
  let reference = ''
  const model = measured((index, request) => {
    if (index === 0) return call('list_directory', { path: '.' })
    if (index === 1) return say('made')
    const at = index - 2
    if (at < names.length) return call('read', { path: names[at] })
    const told = request.messages.flatMap((one) => (one.role === 'tool' ? [one.text] : []))
    reference =
      /overflow:([0-9a-f-]{36})/.exec(told.find((text) => text.includes('room')) ?? '')?.[1] ?? ''
    return at === names.length ? call('read_overflow', { id: reference, limit: 1 }) : say('read')
  })
  await using flow = await createFlow({ model, settings: settings(40_000) })
  await fill(flow, names)
  await flow.say('read them all')
  expect(flow.platform.answers()).toEqual(['made', 'read'])
  const compacted = resultsIn(model, -2).map((text) => text.includes('was left out to make room'))
  expect(compacted.filter(Boolean).length).toBeGreaterThan(2)
  expect(compacted.at(-1)).toBe(false)
  expect(resultsIn(model, -1).at(-1)).toMatch(/\[lines 1 to 1 of \d+\]\n.*a word word/)
  const kept = await flow.db
    .selectFrom('tool_overflow')
    .select('kind')
    .where('id', '=', reference)
    .executeTakeFirst()
  expect(kept).toEqual({ kind: 'compacted' })
  // What was once shown stays what it is, but where room was made, which is seldom.
  const prompts = model.requests.map(({ messages }) => JSON.stringify(messages).slice(0, -1))
  const breaks = prompts.filter((text, at) => at > 0 && !text.startsWith(prompts[at - 1] ?? ''))
  expect(breaks.length).toBeLessThanOrEqual(2)
})

test('LOOP-12 a batch that is larger than the window becomes lines, the longest first, and can be read in parts', async () => {
  const all = names.map((path) => toRequest('read', { path }))
  const answers = [call('list_directory', { path: '.' }), say('made'), calls(all)]
  const model = measured((index) => answers[index] ?? say('read'))
  await using flow = await createFlow({ model, settings: settings(30_000) })
  await fill(flow, names)
  await flow.say('read them all at once')
  expect(flow.platform.answers()).toEqual(['made', 'read'])
  const shown = resultsIn(model, -1).slice(-names.length)
  const left = shown.filter((text) => text.includes('was left out to make room'))
  expect(left.length).toBeGreaterThan(0)
  expect(left.length).toBeLessThan(names.length)
})

test('LOOP-12 the estimate is calibrated by what the provider reported', async () => {
  const dense = createScriptedModel((request) => ({
    ...say('answered'),
    usage: { ...say('').usage, inputTokens: Math.ceil(bytesOf(request) / 1.2) },
  }))
  const first = measured(() => say('answered'))
  await using probe = await createFlow({ model: first })
  await probe.say('small')
  // Three bytes a token would fit, 1.2 do not.
  const budget = Math.round(bytesOf(first.requests[0]) / 2 / 0.8)
  await using flow = await createFlow({ model: dense, settings: settings(budget) })
  await flow.say('small')
  expect(flow.platform.texts().at(-1)).toBe('answered')
  await flow.say('small')
  expect(flow.platform.texts().at(-1)).toContain('the message is too long for the model')
  expect(dense.requests).toHaveLength(1)
})
