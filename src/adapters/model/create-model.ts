import { type Model, ModelError } from '../../ports/model.ts'
import { lookUpModel } from './ask-for-model.ts'
import { limitOutputTokens, type ModelSettings } from './model-settings.ts'

/** Loads a provider's SDK and builds one of its models. Rejects with ModelError `refused` for an unusable key or base URL. */
export type CreateModel = (settings: ModelSettings) => Promise<Model>

/** The built-in providers by configuration name. */
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
      return createOpenAiModel(limitOutputTokens(await withWindow(settings)))
    },
  ],
  [
    'ollama',
    async (settings) => (await import('./ollama/ollama-model.ts')).createOllamaModel(settings),
  ],
  ['offline', async () => (await import('./offline/offline-model.ts')).createOfflineModel()],
])

/**
 * Builds the configured model, loading its SDK only now. Self-hosted servers are asked for the model's abilities and context
 * window. Rejects with ModelError `refused` for an unusable key or base URL.
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

/** LOOP-12: servers other than OpenAI's may report the model's context window; without an answer it stays unknown. */
async function withWindow(settings: ModelSettings): Promise<ModelSettings> {
  const { name, apiKey, baseUrl, contextTokens } = settings
  if (baseUrl === undefined || contextTokens !== undefined) return settings
  const answer = await lookUpModel(name, { provider: 'openai', apiKey, baseUrl })
  return answer.kind === 'there' ? { ...settings, contextTokens: answer.contextTokens } : settings
}

/** An empty key counts as none. A key that cannot stand in a header is refused here: it would end up in an error message. */
function cleanKey({ apiKey, provider }: ModelSettings): string | undefined {
  const key = apiKey?.trim()
  if (key === undefined || key === '') return undefined
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError('refused', `The key for ${provider} holds characters that no key has.`)
  }
  return key
}
