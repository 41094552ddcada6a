import { type Model, ModelError } from '../../ports/model.ts'
import { assertNever } from '../../util/assert-never.ts'
import type { ModelSettings } from './model-settings.ts'

/**
 * Builds the model the settings name. Its SDK is loaded here and only then. Rejects with ModelError
 * `refused` when key or base URL cannot work. Of the providers only Ollama is asked something: what the model can do.
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
      return createOpenAiModel(cleaned)
    }
    case 'ollama': {
      const { createOllamaModel } = await import('./ollama-model.ts')
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

/** An empty key is no key. One that no header can carry would end up inside an error message. */
function cleanKey({ apiKey, provider }: ModelSettings): string | undefined {
  const key = apiKey?.trim()
  if (key === undefined || key === '') return undefined
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError('refused', `The key for ${provider} holds characters that no key has.`)
  }
  return key
}
