import { expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { openModels } from '../../../src/app/open-models.ts'
import { checkModels } from '../../../src/cli/doctor/check-model.ts'
import { configOf, loadWith } from '../../config/support.ts'
import { createJsonServer, type JsonAnswer, type JsonRequest } from './json-server.ts'
import { toModelRequest } from './model-request.ts'

const show = (contextLength: number | undefined, parameters?: string): JsonAnswer => ({
  body: {
    capabilities: ['tools'],
    ...(contextLength === undefined
      ? {}
      : { model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': contextLength } }),
    ...(parameters === undefined ? {} : { parameters }),
  },
})

/** An Ollama that says this of its model, and answers. */
const ollama = (shown: JsonAnswer) =>
  createJsonServer(({ path }) =>
    path === '/api/show'
      ? shown
      : {
          body: '{"message":{"role":"assistant","content":"here"},"done":true,"done_reason":"stop"}\n',
        },
  )

const optionsIn = (requests: readonly JsonRequest[]) =>
  requests.find(({ path }) => path === '/api/chat')?.body.options

test.each<[string, JsonAnswer, number | undefined, number]>([
  ['the model’s own window', show(8_192), undefined, 8_192],
  ['of a large one as much as a usual machine has room for', show(262_144), undefined, 32_768],
  ['what the model’s file sets', show(262_144, 'stop "x"\nnum_ctx    65536\n'), undefined, 65_536],
  ['what is configured', show(262_144), 100_000, 100_000],
  ['no more than the model has', show(8_192), 100_000, 8_192],
  ['a window where nothing is known', show(undefined), undefined, 16_384],
  ['a window where the server says nonsense', show(-1, 'num_ctx x'), undefined, 16_384],
])(
  'MODEL-07 LOOP-12 Ollama is told %s, prompts are kept to it, and answers leave room for them',
  async (_what, shown, contextTokens, window) => {
    await using server = await ollama(shown)
    const settings = { provider: 'ollama', name: 'q', maxOutputTokens: 4_000 } as const
    const model = await createModel({ ...settings, contextTokens, baseUrl: server.url })
    await model.answer(toModelRequest('hi'))
    expect(model.contextTokens).toBe(window)
    expect(optionsIn(server.requests)).toMatchObject({
      num_ctx: window,
      num_predict: Math.min(4_000, Math.floor(window / 5)),
    })
  },
)

test('MODEL-07 an Ollama that is away at start is told what it says of the model later', async () => {
  let isThere = false
  await using server = await createJsonServer(({ path }) => {
    if (!isThere) return { status: 503 }
    if (path === '/api/show') return show(20_000)
    return { body: '{"message":{"content":"here"},"done":true,"done_reason":"stop"}\n' }
  })
  const settings = { provider: 'ollama', name: 'q', maxOutputTokens: 100 } as const
  const model = await createModel({ ...settings, baseUrl: server.url })
  isThere = true
  await model.answer(toModelRequest('hi'))
  expect(model.contextTokens).toBe(20_000)
  expect(optionsIn(server.requests)).toMatchObject({ num_ctx: 20_000 })
})

test.each<[string, object]>([
  ['vLLM', { max_model_len: 32_000 }],
  ['OpenRouter', { context_length: 32_000, top_provider: { context_length: 40_000 } }],
  ['LM Studio', { max_context_length: 131_072, loaded_context_length: 32_000 }],
  ['llama.cpp', { meta: { n_ctx: 32_000, n_ctx_train: 131_072 } }],
  ['Groq', { context_window: 32_000 }],
])(
  'LOOP-12 the window is asked of a server that speaks OpenAI’s protocol as %s does',
  async (_who, told) => {
    for (const single of [true, false]) {
      await using server = await createJsonServer(({ path }) => {
        if (path === '/v1/models/m') return single ? { body: { id: 'm', ...told } } : undefined
        return path.startsWith('/v1/models?')
          ? {
              body: {
                data: [
                  { id: 'other', max_model_len: 5 },
                  { id: 'm', ...told },
                ],
              },
            }
          : undefined
      })
      const settings = { provider: 'openai', name: 'm', maxOutputTokens: 100 } as const
      const model = await createModel({ ...settings, baseUrl: server.url })
      expect(model.contextTokens).toBe(32_000)
      const own = await createModel({ ...settings, baseUrl: server.url, contextTokens: 9_000 })
      expect(own.contextTokens).toBe(9_000)
    }
  },
)

test('LOOP-12 a server that does not tell its window keeps nobody from starting', async () => {
  await using server = await createJsonServer(() => ({ status: 500 }))
  const settings = { provider: 'openai', name: 'm', maxOutputTokens: 100 } as const
  expect((await createModel({ ...settings, baseUrl: server.url })).contextTokens).toBeUndefined()
})

const configFor = (variables: Readonly<Record<string, string>>) => configOf(loadWith({}, variables))

test('MODEL-07 a window that instructions and tools alone do not fit stops the start with words, and doctor says it', async () => {
  await using server = await ollama(show(2_048))
  const config = configFor({ OLLAMA_BASE_URL: server.url, COUNTERSIGN_MODEL_NAME: 'tiny' })
  const words =
    /instructions and tools alone come to at least [\d,]+ tokens, and tiny has room for 1,638/
  await expect(openModels(config)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(words),
  })
  expect(await checkModels(config)).toMatchObject([
    {
      level: 'fail',
      finding: expect.stringMatching(words),
      mend: expect.stringContaining('context_window'),
    },
  ])
})

test('MODEL-07 the budget is the window that Ollama is told, and doctor says how large a window is', async () => {
  await using server = await ollama(show(131_072))
  const variables = { OLLAMA_BASE_URL: server.url, COUNTERSIGN_MODEL_NAME: 'large' }
  const budget = { ...variables, COUNTERSIGN_AGENT_CONTEXT_BUDGET_TOKENS: '50000' }
  expect((await openModels(configFor(budget))).model.contextTokens).toBe(50_000)
  expect(await checkModels(configFor(variables))).toMatchObject([
    {
      level: 'ok',
      finding: expect.stringContaining(
        'a window of 32768 tokens of the 131072 that it could take in',
      ),
    },
  ])
})
