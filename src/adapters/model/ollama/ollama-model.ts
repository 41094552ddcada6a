import { createOllama } from 'ollama-ai-provider-v2'
import { type Model, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { reconnectingFetch } from '../base-url.ts'
import { limitOutputTokens } from '../bound-output.ts'
import type { CallOptions } from '../language-model.ts'
import type { ModelSettings } from '../model-settings.ts'
import { createSdkModel } from '../sdk-model.ts'
import { toPrompt, toTools } from '../to-prompt.ts'
import { fetchModelAbilities, type ModelAbilities, ollamaApiUrl } from './ask-ollama.ts'
import { guardOllamaStream } from './guard-ollama-stream.ts'
import { ollamaWindow } from './ollama-window.ts'

/**
 * Ollama by its native protocol, the only one in which a request can set the context window. Asks the server for what the
 * configuration leaves open: native tool calls (MODEL-02) and the context window (MODEL-07), now and, if tool support stays
 * unknown, before each answer.
 */
export async function createOllamaModel(settings: ModelSettings): Promise<Model> {
  const { name, nativeTools, contextTokens } = settings
  const create = (native: boolean, abilities?: ModelAbilities): Model => {
    const window = ollamaWindow(contextTokens, abilities)
    return createKnownModel(limitOutputTokens({ ...settings, contextTokens: window }), native)
  }
  if (nativeTools !== undefined && contextTokens !== undefined) return create(nativeTools)
  const abilities = await fetchModelAbilities(name, settings)
  if (nativeTools !== undefined) return create(nativeTools, abilities)
  if (abilities.kind === 'known') return create(abilities.nativeTools, abilities)
  const ask = (signal: AbortSignal) => fetchModelAbilities(name, settings, signal)
  return createProbingModel({ create, ask, doubt: abilities.why })
}

function createKnownModel(settings: ModelSettings, nativeTools: boolean): Model {
  const { name, apiKey } = settings
  const ollama = createOllama({
    baseURL: ollamaApiUrl(settings.baseUrl),
    fetch: async (input, init) =>
      guardOllamaStream(await reconnectingFetch(input, { ...init, redirect: 'manual' })),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  })
  return createSdkModel({
    provider: 'ollama',
    name,
    nativeTools,
    contextTokens: settings.contextTokens,
    names: {
      label: 'Ollama',
      keyVariable: 'OLLAMA_BASE_URL',
      urlVariable: 'OLLAMA_BASE_URL',
      secret: apiKey,
    },
    language: ollama.languageModel(name),
    toOptions: (request) => toOptions(request, settings, nativeTools),
  })
}

function toOptions(
  request: ModelRequest,
  { name, maxOutputTokens, temperature, contextTokens }: ModelSettings,
  nativeTools: boolean,
): CallOptions {
  const options = {
    ...(contextTokens !== undefined && { num_ctx: contextTokens }),
    ...(temperature !== undefined && { temperature }),
    num_predict: maxOutputTokens,
  }
  // Ollama has no tool choice parameter, so forbidden tools are not offered.
  const offers = nativeTools && request.toolChoice === 'auto' && request.tools.length > 0
  return {
    prompt: toPrompt(request, { provider: 'ollama', model: name }, nativeTools),
    providerOptions: { ollama: { options } },
    ...(offers ? { tools: toTools(request) } : {}),
  }
}

interface ProbingModelOptions {
  /** Builds the model with or without native tool calls, from what its server reports. */
  readonly create: (nativeTools: boolean, abilities?: ModelAbilities) => Model
  /** Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<ModelAbilities>
  /** Why it is unknown, without a full stop. */
  readonly doubt: string
}

/**
 * MODEL-02: a model whose support for native tool calls is unknown. Support is assumed and the server asked again before each
 * answer; if there is none, that answer fails and is requested again with another prompt (MODEL-04).
 */
function createProbingModel({ create, ask, doubt }: ProbingModelOptions): Model {
  let model = create(true)
  let why: string | undefined = doubt
  return {
    provider: model.provider,
    name: model.name,
    get contextTokens() {
      return model.contextTokens
    },
    get nativeTools() {
      return model.nativeTools
    },
    get doubt() {
      return why
    },
    async answer(request) {
      if (why === undefined) return model.answer(request)
      const abilities = await ask(request.signal)
      why = abilities.kind === 'known' ? undefined : abilities.why
      if (abilities.kind !== 'known') return model.answer(request)
      model = create(abilities.nativeTools, abilities)
      if (abilities.nativeTools) return model.answer(request)
      // Without tools both kinds behave the same.
      if (request.tools.length === 0) return model.answer(request)
      const words = `${model.name} has no tool calls of its own, as Ollama says by now. It is asked again without them.`
      throw new ModelError('unreachable', words)
    },
  }
}
