import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import type { ModelSettings } from '../../../src/adapters/model/model-settings.ts'
import { createOpenAiModel } from '../../../src/adapters/model/openai/openai-model.ts'
import type { TranscriptMessage } from '../../../src/domain/message.ts'
import type { Model } from '../../../src/ports/model.ts'
import { fromPerson, toModelRequest } from './model-request.ts'

const mock = new LLMock({ port: 0, host: '127.0.0.1', strict: true, logLevel: 'silent' })

beforeAll(async () => {
  const asked = { userMessage: 'count the files' }
  mock.on(
    { ...asked, hasToolResult: false },
    { toolCalls: [{ name: 'bash', arguments: '{"command":"ls | wc -l"}' }] },
  )
  mock.on({ ...asked, toolResultContains: '17' }, { content: 'There are 17 files.' })
  await mock.start()
})

afterAll(() => mock.stop())

const settings = (
  provider: ModelSettings['provider'],
  name: string,
  suffix = '',
): ModelSettings => ({
  provider,
  name,
  apiKey: 'key',
  baseUrl: `${mock.url}${suffix}`,
  maxOutputTokens: 100,
})

const surfaces: readonly [string, () => Promise<Model> | Model][] = [
  ['Anthropic', () => createModel(settings('anthropic', 'claude-sonnet-4-5'))],
  [
    'OpenAI’s Responses API',
    () => createOpenAiModel({ ...settings('openai', 'gpt-5', '/v1'), protocol: 'responses' }),
  ],
  ['OpenAI’s chat protocol', () => createModel(settings('openai', 'gpt-4o', '/v1'))],
  ['Ollama', () => createModel(settings('ollama', 'llama3'))],
]

test.each(surfaces)(
  'MODEL-01 goes through a whole turn with a tool on a strict stand-in for %s',
  async (_, create) => {
    const model = await create()
    const messages: TranscriptMessage[] = [fromPerson('count the files')]
    const first = await model.answer(toModelRequest(messages))
    expect(first.calls).toMatchObject([{ tool: 'bash', arguments: '{"command":"ls | wc -l"}' }])

    messages.push({ role: 'assistant', ...first })
    for (const { id, tool } of first.calls)
      messages.push({ role: 'tool', callId: id, tool, text: '17', isError: false })
    const second = await model.answer(toModelRequest(messages))
    expect(second).toMatchObject({ text: 'There are 17 files.', calls: [] })
  },
)

test.each(surfaces)(
  'MODEL-04 reports the failure of a strict stand-in for %s',
  async (_, create) => {
    const model = await create()
    await expect(model.answer(toModelRequest('something unscripted'))).rejects.toMatchObject({
      kind: 'unreachable',
    })
  },
)
