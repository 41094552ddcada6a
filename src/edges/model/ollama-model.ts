import { createOllama } from 'ollama-ai-provider-v2'
import type { Model, ModelRequest } from '../../ports/model.ts'
import { parseBaseUrl, withoutVersion } from './base-url.ts'
import { guardOllamaStream } from './guard-ollama-stream.ts'
import type { CallOptions } from './language-model.ts'
import type { ModelSettings } from './model-settings.ts'
import { reconnectingFetch } from './reconnecting-fetch.ts'
import { createSdkModel } from './sdk-model.ts'
import { toPrompt, toTools } from './to-prompt.ts'

const ownBaseUrl = 'http://127.0.0.1:11434'

/** Ollama by its native protocol, the only one that lets us say how large the window is. */
export function createOllamaModel(settings: ModelSettings): Model {
  const { name, apiKey, nativeTools = true } = settings
  const baseUrl = parseBaseUrl(settings.baseUrl ?? ownBaseUrl, 'OLLAMA_BASE_URL')
  const ollama = createOllama({
    baseURL: toApiUrl(baseUrl),
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
  // Ollama knows no tool choice: forbidden tools are not offered.
  const offers = nativeTools && request.toolChoice === 'auto' && request.tools.length > 0
  return {
    prompt: toPrompt(request, { provider: 'ollama', model: name }, nativeTools),
    providerOptions: { ollama: { options } },
    ...(offers ? { tools: toTools(request) } : {}),
  }
}

/** CONF-03: with `/v1` (its OpenAI protocol), with `/api`, or with neither. */
function toApiUrl(baseUrl: string): string {
  const root = withoutVersion(baseUrl)
  return root.endsWith('/api') ? root : `${root}/api`
}
