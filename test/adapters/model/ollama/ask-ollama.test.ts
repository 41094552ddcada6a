import { describe, expect, test } from 'vitest'
import { createModel } from '../../../../src/adapters/model/create-model.ts'
import { fetchModelAbilities } from '../../../../src/adapters/model/ollama/ask-ollama.ts'
import { ModelError } from '../../../../src/ports/model.ts'
import { createModelServer } from '../../../support/model-server.ts'
import { createJsonServer, type JsonAnswer } from '../json-server.ts'
import { toModelRequest } from '../model-request.ts'

const nowhere = 'http://127.0.0.1:9'

async function asked(answer: JsonAnswer | undefined) {
  await using server = await createJsonServer(() => answer)
  const abilities = await fetchModelAbilities('qwen3:8b', { baseUrl: `${server.url}/v1` })
  expect(server.requests).toMatchObject([{ path: '/api/show', body: { model: 'qwen3:8b' } }])
  return abilities
}

describe('what Ollama says of a model', () => {
  test.each<[string, JsonAnswer, boolean]>([
    ['tells tools', { body: { capabilities: ['completion', 'tools'] } }, true],
    ['tells others', { body: { capabilities: ['completion', 'vision'] } }, false],
    [
      'tells none, with a template for tools',
      { body: { template: '{{ if .Tools }}x{{ end }}' } },
      true,
    ],
    ['tells none, with another template', { body: { template: '{{ .Prompt }}' } }, false],
    ['tells nothing', { body: {} }, false],
  ])('MODEL-02 a server that %s: native tools are known', async (_what, answer, nativeTools) => {
    expect(await asked(answer)).toEqual({ kind: 'known', nativeTools })
  })

  test('MODEL-02 a model that is not there, and a server that is none, are told apart', async () => {
    expect(await asked(undefined)).toEqual({
      kind: 'missing',
      why: 'Ollama has no model qwen3:8b',
    })
    expect(await asked({ status: 500 })).toMatchObject({
      kind: 'unknown',
      why: 'Ollama answered 500',
    })
    expect(await asked({ body: '<html>' })).toMatchObject({
      why: expect.stringContaining('OLLAMA_BASE_URL'),
    })
    expect(await asked({ body: [] })).toMatchObject({ kind: 'unknown' })
    expect(await fetchModelAbilities('x', { baseUrl: nowhere })).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('cannot be reached'),
    })
  })
})

describe('a model of Ollama', () => {
  const settings = { provider: 'ollama', name: 'qwen3:8b', maxOutputTokens: 100 } as const

  test('MODEL-02 has the tool calls that its server says, and none where it says none', async () => {
    for (const [capabilities, native] of [
      [['tools'], true],
      [['completion'], false],
    ] as const) {
      await using server = await createJsonServer(() => ({ body: { capabilities } }))
      const model = await createModel({ ...settings, baseUrl: server.url })
      expect([model.nativeTools, model.doubt]).toEqual([native, undefined])
    }
  })

  test('MODEL-02 MODEL-07 is not asked about where native_tools and context_window say it', async () => {
    await using server = await createJsonServer(() => ({ body: { capabilities: ['tools'] } }))
    for (const nativeTools of [true, false]) {
      const model = await createModel({
        ...settings,
        nativeTools,
        contextTokens: 8_000,
        baseUrl: server.url,
      })
      expect(model.nativeTools).toBe(nativeTools)
    }
    expect(server.requests).toEqual([])
  })

  test('MODEL-02 whose server is away at start is taken to have them, and asked about before each answer', async () => {
    await using chat = await createModelServer([{ kind: 'answer', text: 'here' }])
    // That server has no /api/show at all: the model answers all the same.
    const model = await createModel({ ...settings, baseUrl: chat.url })
    expect(model.doubt).toBe('Ollama has no model qwen3:8b')
    expect(model.nativeTools).toBe(true)
    expect((await model.answer(toModelRequest('hi'))).text).toBe('here')
    expect(model.doubt).toBeDefined()
  })

  test('MODEL-02 that turns out to have none fails once so that it can be tried again, by blocks in its text', async () => {
    let isUp = false
    await using server = await createJsonServer(({ path }) => {
      if (path !== '/api/show' || !isUp) return { status: 503 }
      return { body: { capabilities: ['completion'] } }
    })
    const model = await createModel({ ...settings, baseUrl: server.url })
    expect(model.doubt).toBe('Ollama answered 503')
    isUp = true
    const error = await model.answer(toModelRequest('hi')).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ kind: 'unreachable', isRetryable: true })
    expect([model.nativeTools, model.doubt]).toEqual([false, undefined])
    expect(server.requests.some(({ path }) => path === '/api/chat')).toBe(false)
    await model.answer(toModelRequest('hi')).catch(() => undefined)
    expect(server.requests.at(-1)?.path).toBe('/api/chat')
    expect(server.requests.at(-1)?.body.tools).toBeUndefined()
  })

  test('MODEL-02 POL-05 a request that offers no tools is answered at once, whatever is found out', async () => {
    let isUp = false
    await using server = await createJsonServer(({ path }) => {
      if (path !== '/api/show' || !isUp) return { status: 503 }
      return { body: { capabilities: ['completion'] } }
    })
    const model = await createModel({ ...settings, baseUrl: server.url })
    isUp = true
    await model.answer(toModelRequest('hi', { tools: [] })).catch(() => undefined)
    expect(server.requests.at(-1)?.path).toBe('/api/chat')
  })
})
