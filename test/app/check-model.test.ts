import { expect, test } from 'vitest'
import { checkModels } from '../../src/app/doctor/check-model.ts'
import { describeModels, openModels } from '../../src/app/open-models.ts'
import type { Config } from '../../src/config/config.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createJsonServer, type JsonAnswer } from '../edges/model/json-server.ts'

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
  'MODEL-02 doctor and start-up say of a model of Ollama: %s',
  async (_what, answer, finding, words) => {
    await using server = await show(answer)
    const config = configOf({ ...named, OLLAMA_BASE_URL: server.url })
    expect(await checkModels(config)).toMatchObject([{ what: 'model', ...finding }])
    expect(describeModels(await openModels(config))).toBe(words)
  },
)

test('MODEL-02 an Ollama that is away keeps nobody from starting; doctor says so, and how to say it without asking', async () => {
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
  expect(await checkModels(told)).toMatchObject([{ level: 'ok' }])
  expect((await openModels(told)).model).not.toHaveProperty('doubt')
})

test('SCH-02 the model for embeddings is the provider’s; doctor says where it has none', async () => {
  const name = { COUNTERSIGN_MODEL_EMBEDDING_NAME: 'embed-1' }
  const openai = configOf({ OPENAI_API_KEY: 'sk-test', ...name })
  expect((await openModels(openai)).embedder?.name).toBe('embed-1')
  expect(await checkModels(openai)).toHaveLength(1)
  const anthropic = configOf({ ANTHROPIC_API_KEY: 'sk-test', ...name })
  expect((await openModels(anthropic)).embedder).toBeUndefined()
  expect((await checkModels(anthropic)).at(-1)).toMatchObject({ level: 'warn', what: 'embeddings' })
  expect((await openModels(configOf({ OPENAI_API_KEY: 'sk-test' }))).embedder).toBeUndefined()
})

test('CHAT-03 a further model without its key keeps nobody from starting: /model does not offer it, and doctor says so', async () => {
  const models = { fast: { provider: 'openai', name: 'gpt-5' }, still: { provider: 'offline' } }
  const config = configOf({
    ANTHROPIC_API_KEY: 'sk-test',
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
