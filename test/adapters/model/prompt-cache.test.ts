import { expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { createModelServer, type Reply } from '../../support/model-server.ts'
import { bashTool, fromPerson, toModelRequest, toolRound } from './model-request.ts'

const settings = { name: 'scripted', apiKey: 'key', maxOutputTokens: 100 }
const done: Reply = { kind: 'answer', text: 'done' }

test('MODEL-01 marks tools, system prompt and the end of this and the last request for Anthropic’s cache', async () => {
  await using server = await createModelServer([done])
  const model = await createModel({ ...settings, provider: 'anthropic', baseUrl: server.url })
  const messages = [
    fromPerson('look'),
    ...toolRound('call_1', 'bash', { command: 'ls' }, 'a.txt'),
    ...toolRound('call_2', 'bash', { command: 'wc' }, '3'),
  ]
  const tools = [bashTool, { ...bashTool, name: 'read' }]
  await model.answer(toModelRequest(messages, { tools }))

  const body = server.requests[0]?.body
  expect(body.tools.map(isMarked)).toEqual([false, true])
  expect(body.system.map(isMarked)).toEqual([true])
  expect(body.messages.map(({ content }: { content: object[] }) => content.map(isMarked))).toEqual([
    [false],
    [false],
    [true],
    [false],
    [true],
  ])
  expect(server.requests[0]?.rawBody.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(
    4,
  )
})

test('MODEL-05 counts tokens read from and written to Anthropic’s cache into the input', async () => {
  const usage = { input: 12, output: 7, cacheRead: 900, cacheWrite: 88 }
  await using server = await createModelServer([{ ...done, usage }])
  const model = await createModel({ ...settings, provider: 'anthropic', baseUrl: server.url })
  const answer = await model.answer(toModelRequest('hi'))
  expect(answer.usage).toEqual({
    inputTokens: 1000,
    outputTokens: 7,
    cacheReadTokens: 900,
    cacheWriteTokens: 88,
  })
})

test('MODEL-05 knows which of OpenAI’s input tokens were cached', async () => {
  await using server = await createModelServer([
    { ...done, usage: { input: 100, output: 7, cacheRead: 900 } },
  ])
  const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
  const answer = await model.answer(toModelRequest('hi'))
  expect(answer.usage).toEqual({
    inputTokens: 1000,
    outputTokens: 7,
    cacheReadTokens: 900,
    cacheWriteTokens: 0,
  })
})

test('MODEL-01 sends the session’s cache key to servers of OpenAI’s protocol', async () => {
  await using server = await createModelServer([done])
  const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
  await model.answer(toModelRequest('hi', { cacheKey: 'session-42' }))
  expect(server.requests[0]?.body.prompt_cache_key).toBe('session-42')
})

test('MODEL-01 leaves the cache key out for a server that refuses it by name', async () => {
  await using server = await createModelServer(({ body }) =>
    'prompt_cache_key' in body
      ? {
          kind: 'status',
          status: 422,
          body: '{"error":{"message":"extra field: prompt_cache_key"}}',
        }
      : done,
  )
  const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
  expect((await model.answer(toModelRequest('one'))).text).toBe('done')
  expect((await model.answer(toModelRequest('two'))).text).toBe('done')
  expect(server.requests.map(({ body }) => 'prompt_cache_key' in body)).toEqual([
    true,
    false,
    false,
  ])
})

test('MODEL-01 reports other refusals of such a server once, as they are', async () => {
  const body = '{"error":{"message":"temperature is too high"}}'
  await using server = await createModelServer([{ kind: 'status', status: 400, body }])
  const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
  await expect(model.answer(toModelRequest('hi'))).rejects.toThrow('temperature is too high')
  expect(server.requests).toHaveLength(1)
})

function isMarked(block: object): boolean {
  return 'cache_control' in block
}
