import { once } from 'node:events'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { ModelError } from '../../../src/ports/model.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { toModelRequest } from './model-request.ts'

let body = ''
const server = createServer((incoming, response) => {
  incoming.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Pieces that come near to what each provider sends, so that the fuzzer gets past the first check. */
const pieces = fc.oneof(
  fc.constantFrom(
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}',
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"","name":"","input":{}}}',
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}',
    'data: {"type":"content_block_stop","index":7}',
    'data: {"type":"message_stop"}',
    'data: {"choices":[{"index":0,"delta":{"content":"x","tool_calls":[{"index":9}]},"finish_reason":"stop"}]}',
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"b","arguments":"c"}}]}}]}',
    'data: {"choices":[]}',
    'data: {"error":"no"}',
    'data: [DONE]',
    '{"done":true,"done_reason":"stop"}',
    '{"message":{"role":"assistant","content":"x","tool_calls":[{"function":{"name":"b","arguments":"c"}}]},"done":false}',
    '{"message":5,"model":null,"done":"yes"}',
    '{"error":"no"}',
  ),
  fc.json().map((json) => `data: ${json}`),
  fc.json(),
  fc.string({ unit: anyCharacter }),
)

test.each(['anthropic', 'openai', 'ollama'] as const)(
  'REL-02 takes whatever bytes %s sends for an answer or a ModelError, and prints nothing',
  async (provider) => {
    const printed = [
      vi.spyOn(console, 'warn'),
      vi.spyOn(console, 'error'),
      vi.spyOn(console, 'log'),
    ]
    const port = Object(server.address()).port
    const model = await createModel({
      provider,
      name: 'm',
      apiKey: 'k',
      baseUrl: `http://127.0.0.1:${port}`,
      maxOutputTokens: 10,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), async (parts) => {
        body = parts.join(provider === 'ollama' ? '\n' : '\n\n')
        try {
          const answer = await model.answer(toModelRequest('hi'))
          expect(answer.calls.every((call) => call.id !== '')).toBe(true)
        } catch (error) {
          if (!(error instanceof ModelError)) throw error
          expect(error.kind).not.toBe('aborted')
        }
      }),
    )
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
  },
)

test('REL-02 hands on a call of Ollama whose arguments are no object', async () => {
  const call = { function: { name: 'bash', arguments: 'ls -la' } }
  body = [
    JSON.stringify({
      message: { role: 'assistant', content: '', tool_calls: [call] },
      done: false,
    }),
    JSON.stringify({ done: true, done_reason: 'stop' }),
  ].join('\n')
  const port = Object(server.address()).port
  const model = await createModel({
    provider: 'ollama',
    name: 'm',
    baseUrl: `http://127.0.0.1:${port}`,
    maxOutputTokens: 10,
  })
  const { calls } = await model.answer(toModelRequest('hi'))
  expect(calls).toMatchObject([{ tool: 'bash', arguments: '{"invalid_arguments":"ls -la"}' }])
})
