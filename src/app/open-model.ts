import type { Config } from '../config/config.ts'
import { createModel } from '../edges/model/create-model.ts'
import type { Model } from '../ports/model.ts'

/** The configured model; its SDK is loaded here and only then. */
export function openModel(config: Config): Promise<Model> {
  const { provider, name, maxOutputTokens, nativeTools, contextWindow } = config.model
  const { secrets, endpoints } = config
  const keys = { anthropic: secrets.anthropicApiKey, openai: secrets.openaiApiKey }
  const bases = {
    anthropic: endpoints.anthropicBaseUrl,
    openai: endpoints.openaiBaseUrl,
    ollama: endpoints.ollamaBaseUrl,
  }
  return createModel({
    provider,
    name,
    maxOutputTokens,
    nativeTools,
    contextTokens: contextWindow,
    apiKey:
      provider === 'anthropic' || provider === 'openai' ? keys[provider]?.reveal() : undefined,
    baseUrl: provider === 'offline' ? undefined : bases[provider],
  })
}
