import { describe, expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import type { ModelRequest } from '../../../src/ports/model.ts'
import { createModelServer, type Reply } from '../../support/model-server.ts'
import type { WireAnswer } from '../../support/model-wires.ts'
import { toModelRequest } from './model-request.ts'
import { createRawServer } from './raw-server.ts'

type Provider = 'anthropic' | 'openai' | 'ollama'

const settings = { name: 'scripted', apiKey: 'k', maxOutputTokens: 1_000, contextTokens: 100_000 }

async function ask(
  provider: Provider,
  answer: WireAnswer,
  more: { readonly nativeTools?: boolean; readonly request?: Partial<ModelRequest> } = {},
) {
  const reply: Reply = { kind: 'answer', ...answer }
  await using server = await createModelServer([reply])
  const { nativeTools = true, request = {} } = more
  const model = await createModel({ ...settings, provider, nativeTools, baseUrl: server.url })
  return await model.answer(toModelRequest('hi', request))
}

const cutBy = (provider: Provider) => (provider === 'anthropic' ? 'max_tokens' : 'length')

describe.each(['anthropic', 'openai'] as const)('%s', (provider) => {
  test('MODEL-08 a call in which the token limit ended the answer is told as cut, those before it are not', async () => {
    const whole = { id: 'a', tool: 'bash', arguments: '{"command":"ls"}' }
    const half = { id: 'b', tool: 'write', arguments: '{"path":"a.txt","content":"one tw' }
    const usage = { input: 10, output: 512 }
    const stopReason = cutBy(provider)
    const { calls, text } = await ask(provider, { calls: [whole, half], stopReason, usage })
    expect(calls[0]).not.toHaveProperty('cutAt')
    expect(calls[1]).toMatchObject({ tool: 'write', cutAt: 512 })
    expect(text).toBe('')
    // Also where something on the way made JSON of it.
    const mended = { ...half, arguments: '{"path":"a.txt","content":"one tw"}' }
    const again = await ask(provider, { calls: [mended], stopReason, usage })
    expect(again.calls).toMatchObject([{ cutAt: 512 }])
  })
})

describe.each(['anthropic', 'openai', 'ollama'] as const)('%s', (provider) => {
  test('MODEL-08 a text in which the token limit ended the answer says so, to people and in the transcript', async () => {
    const usage = { input: 10, output: 512 }
    const { text } = await ask(provider, { text: 'half of it', stopReason: cutBy(provider), usage })
    expect(text).toMatch(/^half of it\n\n\(This answer was cut at 512 tokens.*“go on”/)
    expect((await ask(provider, { text: 'all of it' })).text).toBe('all of it')
  })

  test('MODEL-08 MODEL-02 a block that was cut is a call that was cut', async () => {
    const text = 'I write.\n\n```json\n{"tool": "write", "arguments": {"path": "a", "content": "on'
    const usage = { input: 10, output: 9 }
    const { calls, spoken } = await ask(
      provider,
      { text, stopReason: cutBy(provider), usage },
      { nativeTools: false },
    )
    expect(calls).toMatchObject([{ tool: 'write', cutAt: 9, inText: true }])
    expect(spoken).toBe('I write.')
    expect((await ask(provider, { text }, { nativeTools: false })).calls).toEqual([])
  })

  test('MODEL-08 MODEL-04 an empty answer is a connection that failed, and may be asked for again', async () => {
    await expect(ask(provider, { text: '' })).rejects.toMatchObject({
      kind: 'broken',
      isRetryable: true,
    })
    await expect(ask(provider, { text: '<think>only this' })).rejects.toMatchObject({
      isRetryable: true,
    })
  })

  test('MODEL-08 <think> is neither streamed nor answered, nor are blocks in it calls', async () => {
    const pieces: string[] = []
    const text = '<think>\nI could\n```bash\nrm -rf /\n```\n</think>\n\nI will not.'
    const request = { onText: (piece: string) => void pieces.push(piece) }
    const answer = await ask(provider, { text }, { nativeTools: false, request })
    expect(answer).toMatchObject({ text: 'I will not.', calls: [] })
    expect(pieces.join('')).toBe('I will not.')
  })

  test.each([
    ['garbled', 'data: {"choices":[{"del\n\ndata: [DONE]\n\n{"mess\n'],
    ['of nothing', ''],
  ])('MODEL-08 MODEL-04 a stream that is %s may be asked for again', async (_what, body) => {
    await using server = await createRawServer(body)
    const model = await createModel({
      ...settings,
      provider,
      nativeTools: true,
      baseUrl: server.url,
    })
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
      name: 'ModelError',
      isRetryable: true,
    })
  })
})

const chunk = (choice: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
const callPart = (call: object) => chunk({ delta: { tool_calls: [call] } })

test.each([
  ['no name', [{ index: 0, id: 'a', function: { arguments: '{"command":' } }]],
  ['an empty name', [{ index: 0, id: 'a', function: { name: '', arguments: '{"command":' } }]],
  ['neither name nor index', [{ id: 'a', function: { arguments: '{"command":' } }]],
])(
  'MODEL-08 a call of a chat completion with %s is handed on as one that no tool has',
  async (_what, first) => {
    const body = [
      ...first.map(callPart),
      callPart({ index: 0, function: { arguments: '"ls"}' } }),
      chunk({ delta: {}, finish_reason: 'tool_calls' }),
      'data: [DONE]\n\n',
    ].join('')
    await using server = await createRawServer(body)
    const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
    const { calls } = await model.answer(toModelRequest('hi'))
    expect(calls).toMatchObject([{ tool: 'unnamed', arguments: '{"command":"ls"}' }])
  },
)

test('MODEL-08 a name that comes late is the name', async () => {
  const body = [
    callPart({ index: 0, id: 'a', function: { name: '', arguments: '' } }),
    callPart({ index: 0, function: { name: 'bash', arguments: '{"command":"ls"}' } }),
    chunk({ delta: {}, finish_reason: 'tool_calls' }),
    'data: [DONE]\n\n',
  ].join('')
  await using server = await createRawServer(body)
  const model = await createModel({ ...settings, provider: 'openai', baseUrl: server.url })
  const { calls } = await model.answer(toModelRequest('hi'))
  expect(calls).toMatchObject([{ tool: 'bash', arguments: '{"command":"ls"}' }])
})

test('MODEL-08 a call of Ollama without a name is handed on, whatever it lacks', async () => {
  const line = (tool_calls: unknown) =>
    `${JSON.stringify({ message: { role: 'assistant', content: '', tool_calls }, done: false })}\n`
  const body = `${line([{ function: { arguments: { command: 'ls' } } }, { id: 'x' }])}{"done":true,"done_reason":"stop"}\n`
  await using server = await createRawServer(body)
  const model = await createModel({
    ...settings,
    provider: 'ollama',
    nativeTools: true,
    baseUrl: server.url,
  })
  const { calls } = await model.answer(toModelRequest('hi'))
  expect(calls).toMatchObject([
    { tool: 'unnamed', arguments: '{"command":"ls"}' },
    { tool: 'unnamed' },
  ])
})

test.each([
  [
    'openai',
    400,
    '{"error":{"message":"This model\'s maximum context length is 8192 tokens.","code":"context_length_exceeded"}}',
  ],
  [
    'openai',
    400,
    '{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
  ],
  [
    'anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  ],
  [
    'anthropic',
    413,
    '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  ],
  ['ollama', 400, '{"error":"the input length exceeds the context length"}'],
] as const)(
  'LOOP-12 %s says by %i %s that a prompt is too long',
  async (provider, status, body) => {
    await using server = await createModelServer([{ kind: 'status', status, body }])
    const model = await createModel({
      ...settings,
      provider,
      nativeTools: true,
      baseUrl: server.url,
    })
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
      kind: 'too_long',
      isRetryable: false,
    })
  },
)
