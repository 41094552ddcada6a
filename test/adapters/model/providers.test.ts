import { describe, expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import type { Model } from '../../../src/ports/model.ts'
import { createModelServer, type ModelServer, type Reply } from '../../support/model-server.ts'
import { fromPerson, toModelRequest, toolRound } from './model-request.ts'

const providers = ['anthropic', 'openai', 'ollama'] as const
const key = 'sk-very-secret-key'

function connect(
  provider: (typeof providers)[number],
  server: ModelServer,
  suffix = '',
): Promise<Model> {
  const baseUrl = `${server.url}${suffix}`
  return createModel({
    provider,
    name: 'scripted',
    apiKey: key,
    baseUrl,
    maxOutputTokens: 1000,
    contextTokens: 16_000,
  })
}

function answering(reply: Omit<Extract<Reply, { kind: 'answer' }>, 'kind'>): Reply[] {
  return [{ kind: 'answer', ...reply }]
}

describe.each(providers)('%s', (provider) => {
  test('MODEL-01 answers with text as it streams, tool calls with the exact arguments, and usage', async () => {
    const usage = { input: 40, output: 7 }
    const calls = [
      { id: 'call_1', tool: 'bash', arguments: '{"command":"ls"}' },
      { id: 'call_2', tool: 'bash', arguments: '{"command":"wc"}' },
    ]
    await using server = await createModelServer(
      answering({ text: 'I will look. ✓', calls, usage }),
    )
    const model = await connect(provider, server)
    const pieces: string[] = []
    const answer = await model.answer(toModelRequest('hi', { onText: (text) => pieces.push(text) }))

    expect(answer.text).toBe('I will look. ✓')
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(answer.text)
    expect(answer.calls.map(({ tool, arguments: args }) => [tool, args])).toEqual(
      calls.map((call) => [call.tool, call.arguments]),
    )
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(2)
    expect(answer.usage).toMatchObject({ inputTokens: 40, outputTokens: 7 })
    expect(server.requests).toHaveLength(1)
  })

  test.each([undefined, 0.3])('CONF-04 sends the temperature %s', async (temperature) => {
    await using server = await createModelServer(answering({ text: 'here' }))
    const settings = { name: 'scripted', apiKey: key, baseUrl: server.url, maxOutputTokens: 1000 }
    const model = await createModel({ ...settings, provider, temperature })
    await model.answer(toModelRequest('hi'))
    const sent = JSON.parse(server.requests[0]?.rawBody ?? '')
    expect((provider === 'ollama' ? sent.options : sent).temperature).toBe(temperature)
  })

  test.each(['', '/', '/v1', '/v1/'])(
    'CONF-03 takes a base URL that ends in "%s"',
    async (suffix) => {
      await using server = await createModelServer(answering({ text: 'here' }))
      const model = await connect(provider, server, suffix)
      expect((await model.answer(toModelRequest('hi'))).text).toBe('here')
    },
  )

  test('MODEL-01 shows the model earlier calls and their results, in order', async () => {
    await using server = await createModelServer(answering({ text: 'done' }))
    const model = await connect(provider, server)
    const messages = [
      fromPerson('look'),
      ...toolRound('call_1', 'bash', { command: 'ls' }, 'a.txt'),
      fromPerson('and?'),
    ]
    await model.answer(toModelRequest(messages))

    const sent = server.requests[0]?.rawBody ?? ''
    const order = ['You are a test.', 'look', 'ls', 'a.txt', 'and?'].map((text) =>
      sent.indexOf(text, sent.indexOf('You are a test.')),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order.every((at) => at >= 0)).toBe(true)
  })

  test('MODEL-01 renders the same transcript into the same bytes, and a longer one onto the same beginning', async () => {
    await using server = await createModelServer(answering({ text: 'done' }))
    const model = await connect(provider, server)
    const first = [fromPerson('look'), ...toolRound('call_1', 'bash', { command: 'ls' }, 'a.txt')]
    const second = [
      ...first,
      ...toolRound('call_1', 'bash', { command: 'wc' }, '3'),
      fromPerson('thanks'),
    ]
    for (const messages of [first, first, second]) await model.answer(toModelRequest(messages))

    const [once, again, longer] = server.requests
    expect(again?.rawBody).toBe(once?.rawBody)
    const earlier = plainMessages(once?.body.messages)
    expect(plainMessages(longer?.body.messages).slice(0, earlier.length)).toEqual(earlier)
    expect(longer?.body.tools).toEqual(once?.body.tools)
    expect(longer?.body.system).toEqual(once?.body.system)
  })

  test('MODEL-01 sets the output limit', async () => {
    await using server = await createModelServer(answering({ text: 'done' }))
    await (await connect(provider, server)).answer(toModelRequest('hi'))
    const body = server.requests[0]?.body
    expect(body.max_tokens ?? body.options.num_predict).toBe(1000)
  })

  test('LOOP-10 gives back no calls when tools are forbidden, whatever the model sends', async () => {
    const calls = [{ tool: 'bash', arguments: '{"command":"ls"}' }]
    await using server = await createModelServer(answering({ text: 'in short', calls }))
    const answer = await (await connect(provider, server)).answer(
      toModelRequest('hi', { toolChoice: 'none' }),
    )
    expect(answer).toMatchObject({ text: 'in short', calls: [] })
    const { tools, tool_choice: choice } = server.requests[0]?.body ?? {}
    expect(tools === undefined || JSON.stringify(choice).includes('none')).toBe(true)
  })

  test('MODEL-02 offers no native tools to a model without native calls, and shows results as text', async () => {
    await using server = await createModelServer(answering({ text: 'done' }))
    const model = await createModel({
      provider,
      name: 'm',
      apiKey: key,
      baseUrl: server.url,
      maxOutputTokens: 10,
      nativeTools: false,
    })
    expect(model.nativeTools).toBe(false)
    await model.answer(
      toModelRequest([
        fromPerson('look'),
        ...toolRound('call_1', 'bash', { command: 'ls' }, 'a.txt'),
      ]),
    )
    const body = server.requests[0]?.body
    expect(body.tools).toBeUndefined()
    expect(JSON.stringify(body.messages)).toContain('[result of bash]')
    expect(JSON.stringify(body.messages)).not.toMatch(/tool_use|tool_calls|"role":"tool"/)
  })

  test('MODEL-02 takes the blocks in the text of such a model for calls, but none where calls are forbidden', async () => {
    const text = 'I look.\n\n```bash\nls\n```'
    await using server = await createModelServer([...answering({ text }), ...answering({ text })])
    const model = await createModel({
      ...{ provider, name: 'm', apiKey: key, baseUrl: server.url, maxOutputTokens: 10 },
      nativeTools: false,
    })
    expect(await model.answer(toModelRequest('hi'))).toMatchObject({
      text,
      spoken: 'I look.',
      calls: [{ id: 'text_1', tool: 'bash', arguments: '{"command":"ls"}', inText: true }],
    })
    const last = await model.answer(toModelRequest('hi', { toolChoice: 'none' }))
    expect(last).toMatchObject({ text, calls: [] })
    expect(last.spoken).toBeUndefined()
  })

  test.each<[string, Reply]>([
    ['a stream that ends cleanly but too early', { kind: 'cut', text: 'half an ans' }],
    ['a socket destroyed in the middle', { kind: 'kill', text: 'half an ans' }],
  ])('MODEL-04 calls %s broken', async (_, reply) => {
    await using server = await createModelServer([reply])
    const model = await connect(provider, server)
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
      name: 'ModelError',
      kind: 'broken',
    })
    expect(server.requests).toHaveLength(1)
  })

  test('MODEL-04 takes an error event inside the stream for a failure', async () => {
    const reply: Reply = {
      kind: 'error_event',
      text: 'half',
      type: 'overloaded_error',
      message: 'too much to do',
    }
    await using server = await createModelServer([reply])
    const failure = (await connect(provider, server)).answer(toModelRequest('hi'))
    await expect(failure).rejects.toThrow(/too much to do/)
    await expect(failure).rejects.toMatchObject({
      kind: provider === 'ollama' ? 'broken' : 'unreachable',
    })
  })

  test('MODEL-04 asks once more, at once, when a kept connection was gone before an answer began', async () => {
    const answer: Reply = { kind: 'answer', text: 'here' }
    await using server = await createModelServer([answer, { kind: 'kill' }, answer])
    const model = await connect(provider, server)
    await model.answer(toModelRequest('hi'))
    await expect(model.answer(toModelRequest('again'))).resolves.toMatchObject({ text: 'here' })
    expect(server.requests.map(({ rawBody }) => rawBody)[2]).toBe(server.requests[1]?.rawBody)
    expect(server.requests).toHaveLength(3)
  })

  test('MODEL-04 calls a server that hangs up, or is not there, unreachable', async () => {
    const server = await createModelServer([{ kind: 'kill' }])
    const model = await connect(provider, server)
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({ kind: 'unreachable' })
    await server[Symbol.asyncDispose]()
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining(`${provider.toUpperCase()}_BASE_URL`),
    })
  })

  test.each([401, 403])(
    'MODEL-04 says which variable to check after %i, never the key',
    async (status) => {
      const body = JSON.stringify({
        type: 'error',
        error: { type: 'authentication_error', message: `bad key ${key}` },
      })
      await using server = await createModelServer([{ kind: 'status', status, body }])
      const error = await failureOf(await connect(provider, server))
      expect(error).toMatchObject({ kind: 'refused' })
      expect(error.message).toMatch(provider === 'ollama' ? /OLLAMA_BASE_URL/ : /_API_KEY/)
      expect(everythingIn(error)).not.toContain(key)
    },
  )

  test('MODEL-04 gives the provider’s reason for other refusals, without the key', async () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message: `no model x for ${key}` },
    })
    await using server = await createModelServer([{ kind: 'status', status: 400, body }])
    const error = await failureOf(await connect(provider, server))
    expect(error).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('no model x for [redacted]'),
    })
    expect(everythingIn(error)).not.toContain(key)
  })

  test('MODEL-04 passes on how long to wait after 429', async () => {
    const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString()
    const replies = ['7', inTwoMinutes].map(
      (after): Reply => ({ kind: 'status', status: 429, headers: { 'retry-after': after } }),
    )
    await using server = await createModelServer(replies)
    const model = await connect(provider, server)
    expect(await failureOf(model)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7000 })
    const byDate = await failureOf(model)
    expect(byDate).toMatchObject({ kind: 'rate_limited' })
    expect(byDate.retryAfterMs).toBeGreaterThan(30_000)
    expect(byDate.retryAfterMs).toBeLessThanOrEqual(120_000)
    expect(server.requests).toHaveLength(2)
  })

  test.each([500, 503, 529])(
    'MODEL-04 calls %i unreachable and does not retry by itself',
    async (status) => {
      await using server = await createModelServer([{ kind: 'status', status, body: 'not json' }])
      expect(await failureOf(await connect(provider, server))).toMatchObject({
        kind: 'unreachable',
      })
      expect(server.requests).toHaveLength(1)
    },
  )

  test('MODEL-04 follows no redirect, so that the key stays where it was sent', async () => {
    await using other = await createModelServer(answering({ text: 'caught' }))
    await using server = await createModelServer(({ path }) => ({
      kind: 'status',
      status: 307,
      headers: { location: `${other.url}${path}` },
    }))
    const error = await failureOf(await connect(provider, server))
    expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining('redirect') })
    expect(other.requests).toHaveLength(0)
  })

  test.each<[string, Reply]>([
    ['before the first byte', { kind: 'hang' }],
    ['in the middle', { kind: 'hang', text: 'half' }],
  ])(
    'LOOP-14 INT-31 gives up at once when aborted %s, though the provider hangs',
    async (_, reply) => {
      await using server = await createModelServer([reply])
      const model = await connect(provider, server)
      const stop = new AbortController()
      const failure = model.answer(toModelRequest('hi', { signal: stop.signal }))
      failure.catch(() => undefined)
      await expect.poll(() => server.requests.length).toBe(1)
      const before = performance.now()
      stop.abort()
      await expect(failure).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' })
      expect(performance.now() - before).toBeLessThan(10_000)
    },
  )

  test('LOOP-14 asks nothing when it was aborted before', async () => {
    await using server = await createModelServer(answering({ text: 'hello' }))
    const model = await connect(provider, server)
    const failure = model.answer(toModelRequest('hi', { signal: AbortSignal.abort() }))
    await expect(failure).rejects.toMatchObject({ kind: 'aborted' })
    expect(server.requests).toHaveLength(0)
  })

  test('REL-02 refuses a base URL that cannot be one, and a key that no header can carry', async () => {
    const settings = { provider, name: 'm', maxOutputTokens: 10 }
    const refused = { name: 'ModelError', kind: 'refused' }
    for (const baseUrl of ['127.0.0.1:80', 'ftp://example.com', 'http://ada:pass@example.com']) {
      const failure = createModel({ ...settings, baseUrl })
      await expect(failure).rejects.toMatchObject(refused)
      await expect(failure).rejects.not.toThrow(/pass@/)
    }
    const failure = createModel({
      ...settings,
      baseUrl: 'http://127.0.0.1:1',
      apiKey: 'two\nlines',
    })
    await expect(failure).rejects.toMatchObject(refused)
    await expect(failure).rejects.not.toThrow(/two/)
  })
})

test.each(['anthropic', 'openai'] as const)(
  'MODEL-04 says that the key is missing for %s',
  async (provider) => {
    const failure = createModel({ provider, name: 'm', apiKey: ' ', maxOutputTokens: 10 })
    await expect(failure).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('_API_KEY'),
    })
  },
)

test('MODEL-01 tells Ollama how large the window is', async () => {
  await using server = await createModelServer(answering({ text: 'done' }))
  await (await connect('ollama', server)).answer(toModelRequest('hi'))
  expect(server.requests[0]?.body.options.num_ctx).toBe(16_000)
})

test.each(['/api', '/api/'])(
  'CONF-03 takes an Ollama address that ends in "%s"',
  async (suffix) => {
    await using server = await createModelServer(answering({ text: 'here' }))
    expect(
      (await (await connect('ollama', server, suffix)).answer(toModelRequest('hi'))).text,
    ).toBe('here')
  },
)

/** What a provider caches: messages without the marks that say where the cache ends. */
function plainMessages(messages: unknown): unknown[] {
  const text = JSON.stringify(messages, (name, value: unknown) =>
    name === 'cache_control' ? undefined : value,
  )
  const parsed: unknown = JSON.parse(text)
  return Array.isArray(parsed) ? parsed : []
}

async function failureOf(model: Model): Promise<Error & { retryAfterMs: number }> {
  try {
    await model.answer(toModelRequest('hi'))
  } catch (error) {
    if (error instanceof Error)
      return Object.assign(error, { retryAfterMs: Object(error).retryAfterMs })
  }
  throw new Error('it did not fail')
}

/** All that a log could print of an error, causes included. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = Object.getOwnPropertyNames(error).filter((name) => name !== 'cause')
  return [
    ...own.map((name) => JSON.stringify(Object(error)[name])),
    everythingIn(error.cause),
  ].join(' ')
}
