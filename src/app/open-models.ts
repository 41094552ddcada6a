import { createModel } from '../adapters/model/create-model.ts'
import { createEmbedder } from '../adapters/model/embed/create-embedder.ts'
import type { Config, NamedModel } from '../config/config.ts'
import type { Embedder } from '../ports/embedder.ts'
import { type Model, ModelError } from '../ports/model.ts'
import { assertNever } from '../util/assert-never.ts'
import { firstRequestProblem } from './first-request-problem.ts'
import { reviewingModel } from './settings/reviewing-model.ts'

/** Models of the product. */
export interface Models {
  readonly model: Model
  /** MODEL-04: takes over a turn in which `model` failed. */
  readonly fallback?: Model
  /** CHAT-03: models that people can choose, by name. */
  readonly choices?: ReadonlyMap<string, Model>
  /** POL-05: reviews calls before they run. */
  readonly reviewer?: Model
  /** SCH-02: embeddings by the provider of `model`, if available. */
  readonly embedder?: Embedder
}

/** Opens the configured models and loads their SDKs. */
export async function openModels(config: Config): Promise<Models> {
  const { fallback: name } = config.model
  const [model, choices, reviewer] = await Promise.all([
    openModel(config, config.model),
    openChoices(config),
    openReviewer(config),
  ])
  const second = name === undefined ? undefined : config.models[name]
  const fallback = choices.get(name ?? '') ?? (second && (await openModel(config, second)))
  for (const one of [model, fallback]) assertRoom(config, one)
  const embedder = openEmbedder(config)
  return {
    model,
    choices,
    ...(fallback !== undefined && { fallback }),
    ...(reviewer !== undefined && { reviewer }),
    ...(embedder !== undefined && { embedder }),
  }
}

/** MODEL-07: refuses a model whose context window is too small for any request. */
function assertRoom(config: Config, model: Model | undefined): void {
  const problem = model && firstRequestProblem(config, model)
  if (problem !== undefined) throw new ModelError('refused', `${problem}.`)
}

/** Opens the models to choose from; one without its key is left out, as `doctor` reports. */
async function openChoices(config: Config): Promise<ReadonlyMap<string, Model>> {
  const opened = Object.entries(config.models).map(async ([name, chosen]) => {
    const model = await openModel(config, chosen).catch(unlessRefused)
    return model === undefined ? [] : [[name, model] as const]
  })
  return new Map((await Promise.all(opened)).flat())
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof ModelError && error.kind === 'refused') return undefined
  throw error
}

async function openReviewer(config: Config): Promise<Model | undefined> {
  const chosen = config.tools.adversarialPolicy.enabled ? reviewingModel(config) : undefined
  // It gets no tools, so whether it supports them need not be asked.
  return chosen && openModel(config, { ...chosen, nativeTools: chosen.nativeTools ?? true })
}

/** Opens the configured embedding model; undefined if none is configured or the provider has none. */
export function openEmbedder(config: Config): Embedder | undefined {
  const { provider, embeddingName: name } = config.model
  if (name === undefined) return undefined
  return createEmbedder({ provider, name, ...reachOf(config, provider) })
}

/** Describes the models: `claude-sonnet-4-5, then qwen3:8b`. */
export function describeModels({ model, fallback }: Pick<Models, 'model' | 'fallback'>): string {
  return fallback === undefined ? describe(model) : `${describe(model)}, then ${describe(fallback)}`
}

function describe({ name, nativeTools, doubt }: Model): string {
  if (doubt !== undefined)
    return `${name} (whether it has tool calls of its own is not known: ${doubt})`
  return nativeTools ? name : `${name} (calls tools by blocks in its text)`
}

function openModel(config: Config, chosen: Config['model'] | NamedModel): Promise<Model> {
  const { provider, name, maxOutputTokens, nativeTools, temperature, contextWindow } = chosen
  return createModel({
    provider,
    name,
    maxOutputTokens,
    nativeTools,
    temperature,
    contextTokens: contextWindow ?? windowByBudget(config, provider),
    ...reachOf(config, provider),
  })
}

/** MODEL-07: Ollama allocates memory for the requested window, so it is limited to the budget. */
function windowByBudget({ agent }: Config, provider: Model['provider']): number | undefined {
  return provider === 'ollama' ? agent.contextBudgetTokens : undefined
}

/** Returns address and key of a provider. */
function reachOf({ secrets, endpoints }: Config, provider: Model['provider']) {
  switch (provider) {
    case 'anthropic':
      return { apiKey: secrets.anthropicApiKey?.reveal(), baseUrl: endpoints.anthropicBaseUrl }
    case 'openai':
      return { apiKey: secrets.openaiApiKey?.reveal(), baseUrl: endpoints.openaiBaseUrl }
    case 'ollama':
      return { baseUrl: endpoints.ollamaBaseUrl }
    case 'offline':
      return {}
    default:
      return assertNever(provider)
  }
}
