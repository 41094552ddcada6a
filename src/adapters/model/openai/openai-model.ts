import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { z } from 'zod'
import { type Model, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { createVersionedFetch, parseBaseUrl, withVersion } from '../base-url.ts'
import { guardChatStream } from '../guard-chat-stream.ts'
import type { CallOptions, LanguageModel, ProviderOptions } from '../language-model.ts'
import type { ModelSettings } from '../model-settings.ts'
import { createSdkModel } from '../sdk-model.ts'
import { toPrompt, toTools } from '../to-prompt.ts'

const bodySchema = z.looseObject({ prompt_cache_key: z.string().optional() })

const ownBaseUrl = 'https://api.openai.com/v1'

export interface OpenAiSettings extends ModelSettings {
  /** The OpenAI API to use; default: Responses at OpenAI itself, chat completions everywhere else. */
  readonly protocol?: 'responses' | 'chat'
}

/** Conservative context windows of OpenAI's own models. */
function ownWindow(name: string): number {
  return name.startsWith('gpt-5') ? 272_000 : 128_000
}

interface Protocol {
  readonly language: LanguageModel
  providerOptions(cacheKey: string): ProviderOptions
}

/** OpenAI, and servers that speak its chat protocol, by base URL. */
export function createOpenAiModel(settings: OpenAiSettings): Model {
  const { name, apiKey, maxOutputTokens, temperature, nativeTools = true } = settings
  if (apiKey === undefined && settings.baseUrl === undefined) {
    throw new ModelError('refused', 'There is no key for OpenAI. Set OPENAI_API_KEY.')
  }
  const baseUrl = parseBaseUrl(settings.baseUrl ?? ownBaseUrl, 'OPENAI_BASE_URL')
  const isOwn = new URL(baseUrl).hostname === new URL(ownBaseUrl).hostname
  const responses = (settings.protocol ?? (isOwn ? 'responses' : 'chat')) === 'responses'
  const protocol = responses ? responsesApi(settings, baseUrl) : chatApi(settings, baseUrl)
  return createSdkModel({
    provider: 'openai',
    name,
    nativeTools,
    contextTokens: settings.contextTokens ?? (isOwn ? ownWindow(name) : undefined),
    names: {
      label: isOwn ? 'OpenAI' : 'the model server',
      keyVariable: 'OPENAI_API_KEY',
      urlVariable: 'OPENAI_BASE_URL',
      secret: apiKey,
    },
    language: protocol.language,
    toOptions: (request) => ({
      prompt: toPrompt(request, { provider: 'openai', model: name }, nativeTools),
      maxOutputTokens,
      ...(temperature !== undefined && { temperature }),
      providerOptions: protocol.providerOptions(request.cacheKey),
      ...offered(request, nativeTools),
    }),
  })
}

/** Nothing is stored at OpenAI: reasoning is kept encrypted in our own transcript instead. */
function responsesApi({ name, apiKey }: OpenAiSettings, baseUrl: string): Protocol {
  const openai = createOpenAI({
    baseURL: withVersion(baseUrl),
    apiKey: apiKey ?? '',
    fetch: createVersionedFetch(baseUrl, 'OPENAI_BASE_URL'),
  })
  return {
    language: openai.responses(name),
    providerOptions: (cacheKey) => ({ openai: { store: false, promptCacheKey: cacheKey } }),
  }
}

function chatApi({ name, apiKey }: OpenAiSettings, baseUrl: string): Protocol {
  const send = withOptionalCacheKey(createVersionedFetch(baseUrl, 'OPENAI_BASE_URL'))
  const compatible = createOpenAICompatible({
    name: 'compatible',
    baseURL: withVersion(baseUrl),
    includeUsage: true,
    fetch: async (input, init) => guardChatStream(await send(input, init)),
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return {
    language: compatible.languageModel(name),
    providerOptions: (cacheKey) => ({ compatible: { prompt_cache_key: cacheKey } }),
  }
}

function offered(
  request: ModelRequest,
  nativeTools: boolean,
): Pick<CallOptions, 'tools' | 'toolChoice'> {
  if (!nativeTools || request.tools.length === 0) return {}
  return { tools: toTools(request), toolChoice: { type: request.toolChoice } }
}

/** Drops the cache key once a server has refused it by name: some refuse unknown fields. */
function withOptionalCacheKey(inner: typeof fetch): typeof fetch {
  let refused = false
  return async (input, init) => {
    if (refused) return await inner(input, withoutCacheKey(init))
    const answer = await inner(input, init)
    if (answer.status !== 400 && answer.status !== 422) return answer
    const text = await answer.text()
    if (!text.includes('prompt_cache_key')) return new Response(text, answer)
    refused = true
    return await inner(input, withoutCacheKey(init))
  }
}

function withoutCacheKey(init: RequestInit | undefined): RequestInit {
  if (typeof init?.body !== 'string') return { ...init }
  const { prompt_cache_key: _, ...rest } = bodySchema.parse(JSON.parse(init.body))
  return { ...init, body: JSON.stringify(rest) }
}
