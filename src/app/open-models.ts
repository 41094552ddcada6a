import { type CreateModel, createModel, modelProviders } from '../adapters/model/create-model.ts'
import { createEmbedder } from '../adapters/model/embed/create-embedder.ts'
import type { Config, NamedModel } from '../config/config.ts'
import { factsOfProvider } from '../config/schema/schema-model.ts'
import { english, type Messages } from '../domain/messages/messages.ts'
import type { Embedder } from '../ports/embedder.ts'
import { type Model, ModelError } from '../ports/model.ts'
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

/** The configured models; their SDKs are loaded here and only then. */
export async function openModels(
  config: Config,
  providers: ReadonlyMap<string, CreateModel> = modelProviders,
): Promise<Models> {
  const { fallback: name } = config.model
  const open = (chosen: Chosen) => openModel(config, chosen, providers)
  const [model, choices, reviewer] = await Promise.all([
    open(config.model),
    openChoices(config, open),
    openReviewer(config, open),
  ])
  const second = name === undefined ? undefined : config.models[name]
  const fallback = choices.get(name ?? '') ?? (second && (await open(second)))
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

/** One without its key is not offered, as `doctor` says. */
async function openChoices(config: Config, open: Open): Promise<ReadonlyMap<string, Model>> {
  const opened = Object.entries(config.models).map(async ([name, chosen]) => {
    const model = await open(chosen).catch(unlessRefused)
    return model === undefined ? [] : [[name, model] as const]
  })
  return new Map((await Promise.all(opened)).flat())
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof ModelError && error.kind === 'refused') return undefined
  throw error
}

async function openReviewer(config: Config, open: Open): Promise<Model | undefined> {
  const chosen = config.tools.adversarialPolicy.enabled ? reviewingModel(config) : undefined
  // It is offered no tools: whether it could call them is not asked.
  return chosen && open({ ...chosen, nativeTools: chosen.nativeTools ?? true })
}

/** Opens the configured embedding model; undefined if none is configured or the provider has none. */
export function openEmbedder(config: Config): Embedder | undefined {
  const { provider, embeddingName: name } = config.model
  if (name === undefined) return undefined
  return createEmbedder({ provider, name, ...reachOf(config, provider) })
}

/** Describes the models: `claude-sonnet-4-5, then qwen3:8b`. */
export function describeModels(
  { model, fallback }: Pick<Models, 'model' | 'fallback'>,
  { terminal }: Messages = english,
): string {
  const describe = ({ name, nativeTools, doubt }: Model): string => {
    if (doubt !== undefined) return terminal.modelInDoubt({ name, why: doubt })
    return nativeTools ? name : terminal.modelByText({ name })
  }
  if (fallback === undefined) return describe(model)
  return terminal.modelThen({ first: describe(model), second: describe(fallback) })
}

type Chosen = Config['model'] | NamedModel
type Open = (chosen: Chosen) => Promise<Model>

function openModel(
  config: Config,
  chosen: Chosen,
  providers: ReadonlyMap<string, CreateModel>,
): Promise<Model> {
  const { provider, name, maxOutputTokens, nativeTools, temperature, contextWindow } = chosen
  const settings = { provider, name, maxOutputTokens, nativeTools, temperature }
  const contextTokens = contextWindow ?? windowByBudget(config, provider)
  return createModel({ ...settings, contextTokens, ...reachOf(config, provider) }, providers)
}

/** MODEL-07: the budget says how much of such a window is used. */
function windowByBudget({ agent }: Config, provider: string): number | undefined {
  return factsOfProvider(provider).takesWindow === true ? agent.contextBudgetTokens : undefined
}

/** Where a provider is, and by which key. */
function reachOf({ secrets, endpoints }: Config, provider: string) {
  const { key, url } = factsOfProvider(provider)
  return {
    apiKey: key === undefined ? undefined : secrets[key]?.reveal(),
    baseUrl: url === undefined ? undefined : endpoints[url],
  }
}
