import { type Model, ModelError } from '../../ports/model.ts'
import { assertNever } from '../../util/assert-never.ts'
import { askForModel } from './ask-for-model.ts'
import { boundOutput } from './bound-output.ts'
import type { ModelSettings } from './model-settings.ts'

/**
 * Builds the model the settings name. Its SDK is loaded here and only then. Rejects with ModelError
 * `refused` when key or base URL cannot work. Servers of one's own are asked what the model can do, and how much it takes in.
 */
export async function createModel(settings: ModelSettings): Promise<Model> {
  const { provider } = settings
  const cleaned = {
    ...settings,
    apiKey: cleanKey(settings),
    baseUrl: settings.baseUrl || undefined,
  }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropicModel } = await import('./anthropic-model.ts')
      return createAnthropicModel(cleaned)
    }
    case 'openai': {
      const { createOpenAiModel } = await import('./openai-model.ts')
      return createOpenAiModel(boundOutput(await withWindow(cleaned)))
    }
    case 'ollama': {
      const { createOllamaModel } = await import('./ollama/ollama-model.ts')
      return createOllamaModel(cleaned)
    }
    case 'offline': {
      const { createOfflineModel } = await import('./offline/offline-model.ts')
      return createOfflineModel()
    }
    default:
      return assertNever(provider)
  }
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
