import type { Config, NamedModel } from '../config/config.ts'
import { createModel } from '../edges/model/create-model.ts'
import type { Model } from '../ports/model.ts'
import { reviewingModel } from './reviewing-model.ts'

/** Who answers, and who reviews. */
export interface Models {
  readonly model: Model
  /** MODEL-04: takes over a turn in which `model` failed. */
  readonly fallback?: Model
  /** POL-05: reviews calls before they run. */
  readonly reviewer?: Model
}

/** The configured models; their SDKs are loaded here and only then. */
export async function openModels(config: Config): Promise<Models> {
  const { fallback: name } = config.model
  const second = name === undefined ? undefined : config.models[name]
  const [model, fallback, reviewer] = await Promise.all([
    openModel(config, config.model),
    second === undefined ? undefined : openModel(config, second),
    openReviewer(config),
  ])
  return {
    model,
    ...(fallback !== undefined && { fallback }),
    ...(reviewer !== undefined && { reviewer }),
  }
}

async function openReviewer(config: Config): Promise<Model | undefined> {
  const chosen = config.tools.adversarialPolicy.enabled ? reviewingModel(config) : undefined
  return chosen === undefined ? undefined : openModel(config, chosen)
}

/** In words: `claude-sonnet-4-5, then qwen3:8b`. */
export function describeModels({ model, fallback }: Pick<Models, 'model' | 'fallback'>): string {
  return fallback === undefined ? model.name : `${model.name}, then ${fallback.name}`
}

function openModel(config: Config, chosen: Config['model'] | NamedModel): Promise<Model> {
  const { provider, name, maxOutputTokens, nativeTools, temperature, contextWindow } = chosen
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
    temperature,
    contextTokens: contextWindow,
    apiKey:
      provider === 'anthropic' || provider === 'openai' ? keys[provider]?.reveal() : undefined,
    baseUrl: provider === 'offline' ? undefined : bases[provider],
  })
}
