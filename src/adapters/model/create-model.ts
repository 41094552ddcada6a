import { type Model, ModelError } from '../../ports/model.ts'
import { askForModel } from './ask-for-model.ts'
import { boundOutput } from './bound-output.ts'
import type { ModelSettings } from './model-settings.ts'

/** Loads a provider's SDK, and builds one of its models. Rejects with ModelError `refused` when key or base URL cannot work. */
export type CreateModel = (settings: ModelSettings) => Promise<Model>

/** Every provider that is built in, by its name in the configuration. */
export const modelProviders: ReadonlyMap<string, CreateModel> = new Map<string, CreateModel>([
  [
    'anthropic',
    async (settings) => {
      const { createAnthropicModel } = await import('./anthropic/anthropic-model.ts')
      return createAnthropicModel(settings)
    },
  ],
  [
    'openai',
    async (settings) => {
      const { createOpenAiModel } = await import('./openai/openai-model.ts')
      return createOpenAiModel(boundOutput(await withWindow(settings)))
    },
  ],
  [
    'ollama',
    async (settings) => (await import('./ollama/ollama-model.ts')).createOllamaModel(settings),
  ],
  ['offline', async () => (await import('./offline/offline-model.ts')).createOfflineModel()],
])

/**
 * Builds the model the settings name. Its SDK is loaded here and only then. Rejects with ModelError
 * `refused` when key or base URL cannot work. Servers of one's own are asked what the model can do, and how much it takes in.
 */
export async function createModel(
  settings: ModelSettings,
  providers: ReadonlyMap<string, CreateModel> = modelProviders,
): Promise<Model> {
  const create = providers.get(settings.provider)
  if (create === undefined) {
    throw new ModelError('refused', `There is no model provider ${settings.provider}.`)
  }
  const baseUrl = settings.baseUrl || undefined
  return await create({ ...settings, apiKey: cleanKey(settings), baseUrl })
}

/** LOOP-12: a server that is not OpenAI's own may tell how much the model takes in; one that does not answer tells nothing. */
async function withWindow(settings: ModelSettings): Promise<ModelSettings> {
  const { name, apiKey, baseUrl, contextTokens } = settings
  if (baseUrl === undefined || contextTokens !== undefined) return settings
  const answer = await askForModel(name, { provider: 'openai', apiKey, baseUrl })
  return answer.kind === 'there' ? { ...settings, contextTokens: answer.contextTokens } : settings
}

/** An empty key is no key. One that no header can carry would end up inside an error message. */
function cleanKey({ apiKey, provider }: ModelSettings): string | undefined {
  const key = apiKey?.trim()
  if (key === undefined || key === '') return undefined
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError('refused', `The key for ${provider} holds characters that no key has.`)
  }
  return key
}
