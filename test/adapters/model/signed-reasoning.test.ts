import { once } from 'node:events'
import { createServer } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { createOpenAiModel } from '../../../src/adapters/model/openai/openai-model.ts'
import type { TranscriptMessage } from '../../../src/domain/message.ts'
import type { ModelAnswer } from '../../../src/ports/model.ts'
import { createModelServer } from '../../support/model-server.ts'
import { fromPerson, toModelRequest } from './model-request.ts'

const thinking = { text: 'First I look.\n\tThen "I" think… 🤔', signature: 'EqQBCgIYAhIkZm9v+/=' }
const call = { id: 'toolu_1', tool: 'bash', arguments: '{"command": "ls"}' }

test('MODEL-01 replays Anthropic’s signed thinking byte for byte, after it was stored as JSON', async () => {
  await using server = await createModelServer([
    { kind: 'answer', text: 'Looking.', thinking, calls: [call] },
  ])
  const model = await createModel({
    provider: 'anthropic',
    name: 'm',
    apiKey: 'k',
    baseUrl: server.url,
    maxOutputTokens: 100,
  })
  const answer = stored(await model.answer(toModelRequest('look')))
  await model.answer(toModelRequest(goOn(answer)))

  expect(server.requests[1]?.body.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: thinking.text, signature: thinking.signature },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls' } },
    ],
  })
})

test('MODEL-01 keeps reasoning from a model that did not sign it, but not what was said', async () => {
  await using server = await createModelServer([
    { kind: 'answer', text: 'Looking.', thinking, calls: [call] },
  ])
  const settings = { apiKey: 'k', baseUrl: server.url, maxOutputTokens: 100 }
  const first = await createModel({ ...settings, provider: 'anthropic', name: 'one' })
  const answer = stored(await first.answer(toModelRequest('look')))
  for (const [provider, name] of [
    ['anthropic', 'two'],
    ['openai', 'one'],
  ] as const) {
    const other = await createModel({ ...settings, provider, name })
    await other.answer(toModelRequest(goOn(answer)))
    const sent = server.requests.at(-1)?.rawBody
    expect(sent).not.toContain('First I look')
    expect(sent).not.toContain(thinking.signature)
    expect(sent).toContain('Looking.')
    expect(sent).toContain('toolu_1')
  }
})

test('MODEL-01 replays the text as it stands in the transcript when it was changed there', async () => {
  await using server = await createModelServer([
    { kind: 'answer', text: 'token abc', thinking, calls: [call] },
  ])
  const model = await createModel({
    provider: 'anthropic',
    name: 'm',
    apiKey: 'k',
    baseUrl: server.url,
    maxOutputTokens: 100,
  })
  const answer = stored(await model.answer(toModelRequest('look')))
  await model.answer(toModelRequest(goOn({ ...answer, text: 'token [redacted]' })))
  const types = server.requests[1]?.body.messages[1].content.map(
    ({ type, text }: { type: string; text?: string }) => text ?? type,
  )
  expect(types).toEqual(['thinking', 'token [redacted]', 'tool_use'])
})

test('MODEL-01 asks OpenAI to store nothing and replays its encrypted reasoning byte for byte', async () => {
  await using server = await createResponsesServer()
  const model = createOpenAiModel({
    provider: 'openai',
    name: 'gpt-5',
    apiKey: 'k',
    baseUrl: server.url,
    maxOutputTokens: 100,
    protocol: 'responses',
  })
  const answer = stored(await model.answer(toModelRequest('look')))
  expect(answer).toMatchObject({
    text: '',
    calls: [{ id: 'call_1', tool: 'bash', arguments: '{"command": "ls"}' }],
    usage: { inputTokens: 90, outputTokens: 9, cacheReadTokens: 64 },
  })
  await model.answer(toModelRequest(goOn(answer)))

  const [first, second] = server.bodies
  expect(first).toMatchObject({
    store: false,
    prompt_cache_key: 'session-1',
    include: ['reasoning.encrypted_content'],
  })
  const input = second?.input.filter(({ role }: { role?: string }) => role === undefined)
  expect(input).toMatchObject([
    {
      type: 'reasoning',
      encrypted_content: 'gAAAA+enc/==',
      summary: [{ type: 'summary_text', text: 'I look first.' }],
    },
    { type: 'function_call', call_id: 'call_1', name: 'bash' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' },
  ])
})

function stored(answer: ModelAnswer): ModelAnswer {
  return JSON.parse(JSON.stringify(answer))
}

function goOn(answer: ModelAnswer): TranscriptMessage[] {
  const results = answer.calls.map(
    ({ id, tool }): TranscriptMessage => ({
      role: 'tool',
      callId: id,
      tool,
      text: 'a.txt',
      isError: false,
    }),
  )
  return [
    fromPerson('look'),
    { role: 'assistant', text: answer.text, calls: answer.calls, raw: answer.raw },
    ...results,
  ]
}

/** Just enough of OpenAI's Responses API: one reasoning item and one call. */
async function createResponsesServer() {
  // biome-ignore lint/suspicious/noExplicitAny: bodies as they came
  const bodies: any[] = []
  const reasoning = { type: 'reasoning', id: 'rs_1', encrypted_content: null, summary: [] }
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'bash', arguments: '' }
  const summary = { item_id: 'rs_1', output_index: 0, summary_index: 0 }
  const events = [
    { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'gpt-5' } },
    { type: 'response.output_item.added', output_index: 0, item: reasoning },
    { type: 'response.reasoning_summary_part.added', ...summary },
    { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'I look first.' },
    { type: 'response.reasoning_summary_part.done', ...summary },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...reasoning, encrypted_content: 'gAAAA+enc/==' },
    },
    { type: 'response.output_item.added', output_index: 1, item },
    {
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_1',
      output_index: 1,
      delta: call.arguments,
    },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...item, arguments: call.arguments, status: 'completed' },
    },
    {
      type: 'response.completed',
      response: {
        usage: { input_tokens: 90, input_tokens_details: { cached_tokens: 64 }, output_tokens: 9 },
      },
    },
  ]
  const server = createServer(async (incoming, response) => {
    bodies.push(JSON.parse(await readText(incoming)))
    response.writeHead(incoming.url === '/v1/responses' ? 200 : 404, {
      'content-type': 'text/event-stream',
    })
    response.end(events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
