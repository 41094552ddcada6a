import { describe, expect, test } from 'vitest'
import { describeModels, openModels } from '../../src/app/open-models.ts'
import { checkModels } from '../../src/cli/doctor/check-model.ts'
import type { Config } from '../../src/config/config.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createJsonServer, type JsonAnswer } from '../adapters/model/json-server.ts'

function configOf(variables: Readonly<Record<string, string>>): Config {
  const loaded = loadConfig({ cwd: '/nowhere', environment: new Environment(variables) })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const show = (answer: JsonAnswer) => createJsonServer(() => answer)
const named = { COUNTERSIGN_MODEL_NAME: 'qwen3:8b' }

test.each<[string, JsonAnswer, object, string]>([
  [
    'native',
    { body: { capabilities: ['completion', 'tools'] } },
    { level: 'ok', finding: expect.stringContaining('calls tools natively') },
    'qwen3:8b',
  ],
  [
    'without',
    { body: { capabilities: ['completion'] } },
    { level: 'ok', finding: expect.stringContaining('blocks in its text') },
    'qwen3:8b (calls tools by blocks in its text)',
  ],
  [
    'not there',
    { status: 404 },
    { level: 'warn', mend: 'ollama pull qwen3:8b' },
    'qwen3:8b (whether it has tool calls of its own is not known: Ollama has no model qwen3:8b)',
  ],
])(
  'MODEL-02 doctor and start report on a model of Ollama: %s',
  async (_what, answer, finding, words) => {
    await using server = await show(answer)
    const config = configOf({ ...named, OLLAMA_BASE_URL: server.url })
    expect(await checkModels(config)).toMatchObject([{ what: 'model', ...finding }])
    expect(describeModels(await openModels(config))).toBe(words)
  },
)

test('MODEL-02 an unreachable Ollama does not prevent the start; doctor reports it, and how to declare the model without asking', async () => {
  const config = configOf({ ...named, OLLAMA_BASE_URL: 'http://127.0.0.1:9' })
  expect(await checkModels(config)).toMatchObject([
    {
      level: 'warn',
      finding: expect.stringContaining('cannot be reached'),
      mend: expect.stringContaining('[model] native_tools'),
    },
  ])
  const { model } = await openModels(config)
  expect(model).toMatchObject({ nativeTools: true, doubt: expect.stringContaining('reached') })
  const told = configOf({
    ...named,
    OLLAMA_BASE_URL: 'http://127.0.0.1:9',
    COUNTERSIGN_MODEL_NATIVE_TOOLS: 'false',
  })
  expect(await checkModels(told)).toMatchObject([
    { level: 'warn', finding: expect.stringContaining('how much it takes in is not known') },
  ])
  const all = { ...named, COUNTERSIGN_MODEL_NATIVE_TOOLS: 'false' }
  const sure = configOf({
    ...all,
    OLLAMA_BASE_URL: 'http://127.0.0.1:9',
    COUNTERSIGN_MODEL_CONTEXT_WINDOW: '50000',
  })
  expect(await checkModels(sure)).toMatchObject([{ level: 'ok' }])
  expect((await openModels(told)).model).not.toHaveProperty('doubt')
})

test('SCH-02 the model for embeddings is the provider’s; doctor reports a provider without one', async () => {
  const name = { COUNTERSIGN_MODEL_EMBEDDING_NAME: 'embed-1' }
  await using server = await createJsonServer(() => ({ body: { id: 'gpt-5' } }))
  const urls = { OPENAI_BASE_URL: server.url, ANTHROPIC_BASE_URL: server.url }
  const openai = configOf({ OPENAI_API_KEY: 'sk-test', ...name, ...urls })
  expect((await openModels(openai)).embedder?.name).toBe('embed-1')
  expect(await checkModels(openai)).toHaveLength(1)
  const anthropic = configOf({ ANTHROPIC_API_KEY: 'sk-test', ...name, ...urls })
  expect((await openModels(anthropic)).embedder).toBeUndefined()
  expect((await checkModels(anthropic)).at(-1)).toMatchObject({ level: 'warn', what: 'embeddings' })
  expect((await openModels(configOf({ OPENAI_API_KEY: 'sk-test' }))).embedder).toBeUndefined()
})

test('CHAT-03 a further model without its key does not prevent the start: /model does not offer it, and doctor reports it', async () => {
  const models = { fast: { provider: 'openai', name: 'gpt-5' }, still: { provider: 'offline' } }
  await using server = await createJsonServer(() => ({ body: { id: 'claude-sonnet-4-5' } }))
  const config = configOf({
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: server.url,
    COUNTERSIGN_MODELS: JSON.stringify(models),
  })
  expect([...((await openModels(config)).choices?.keys() ?? [])]).toEqual(['still'])
  expect(await checkModels(config)).toMatchObject([
    { level: 'ok', what: 'model' },
    {
      level: 'warn',
      what: 'model fast',
      finding: expect.stringContaining('no key for it; /model does not offer it'),
    },
    { level: 'ok', what: 'model still' },
  ])
  const second = configOf({
    ANTHROPIC_API_KEY: 'sk-test',
    COUNTERSIGN_MODELS: JSON.stringify(models),
    COUNTERSIGN_MODEL_FALLBACK: 'fast',
  })
  await expect(openModels(second)).rejects.toThrow('OPENAI_API_KEY')
})

describe.each([
  ['anthropic', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ['openai', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
])('CLI-01 doctor asks %s for the model by its name', (provider, keyVariable, urlVariable) => {
  const check = async (answer: (path: string) => JsonAnswer | undefined, name = 'm/1') => {
    await using server = await createJsonServer(({ path }) => answer(path))
    const config = configOf({
      COUNTERSIGN_MODEL_PROVIDER: provider,
      COUNTERSIGN_MODEL_NAME: name,
      [keyVariable]: 'sk-test-key',
      [urlVariable]: server.url,
    })
    const [finding] = await checkModels(config)
    return { finding, requests: server.requests }
  }

  test("CLI-01 reports that it exists, with the provider's form of key", async () => {
    const { finding, requests } = await check(() => ({ body: { id: 'm/1' } }))
    expect(finding).toMatchObject({ level: 'ok', finding: expect.stringContaining('has it') })
    expect(requests[0]?.path).toBe('/v1/models/m%2F1')
    expect([requests[0]?.authorization, requests[0]?.key]).toEqual(
      provider === 'openai' ? ['Bearer sk-test-key', undefined] : [undefined, 'sk-test-key'],
    )
  })

  test('CLI-01 finds it in the list of a server that cannot look up single models', async () => {
    const listing = (path: string) =>
      path.startsWith('/v1/models?') ? { body: { data: [{ id: 'a' }, { id: 'm/1' }] } } : undefined
    expect((await check(listing)).finding).toMatchObject({ level: 'ok' })
  })

  test('CLI-01 fails for a missing one, naming others', async () => {
    const listing = (path: string) =>
      path.startsWith('/v1/models?') ? { body: { data: [{ id: 'a' }, { id: 'b' }] } } : undefined
    expect((await check(listing)).finding).toMatchObject({
      level: 'fail',
      finding: expect.stringContaining('no such model'),
      mend: expect.stringContaining('a, b'),
    })
  })

  test('CLI-01 fails for a refused key, without showing it', async () => {
    const { finding } = await check(() => ({ status: 401, body: { error: 'bad key sk-test-key' } }))
    expect(finding).toMatchObject({ level: 'fail', mend: `check ${keyVariable}` })
    expect(JSON.stringify(finding)).not.toContain('sk-test-key')
  })

  test.each<[string, () => JsonAnswer | undefined]>([
    ['has no list', () => undefined],
    ['answers nonsense', () => ({ body: 'no JSON' })],
    ['fails', () => ({ status: 500 })],
  ])('CLI-01 only warns if the server %s', async (_what, answer) => {
    expect((await check(answer)).finding).toMatchObject({ level: 'warn' })
  })
})
