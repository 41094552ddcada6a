import { createAnthropic } from '@ai-sdk/anthropic'
import { type Model, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { createVersionedFetch, parseBaseUrl, withVersion } from '../base-url.ts'
import type { CallOptions, FunctionTool, Prompt, PromptMessage } from '../language-model.ts'
import type { ModelSettings } from '../model-settings.ts'
import { createSdkModel } from '../sdk-model.ts'
import { toPrompt, toTools } from '../to-prompt.ts'

const ownBaseUrl = 'https://api.anthropic.com'
/** The smallest window of its models; some have more on request. */
const smallestWindow = 200_000
const cachePoint = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** Anthropic's Messages API with prompt caching enabled. */
export function createAnthropicModel(settings: ModelSettings): Model {
  const { name, apiKey, nativeTools = true } = settings
  if (apiKey === undefined && settings.baseUrl === undefined) {
    throw new ModelError('refused', 'There is no key for Anthropic. Set ANTHROPIC_API_KEY.')
  }
  const baseUrl = parseBaseUrl(settings.baseUrl ?? ownBaseUrl, 'ANTHROPIC_BASE_URL')
  const anthropic = createAnthropic({
    baseURL: withVersion(baseUrl),
    // An empty key keeps the SDK from reading the environment.
    apiKey: apiKey ?? '',
    fetch: createVersionedFetch(baseUrl, 'ANTHROPIC_BASE_URL'),
  })
  return createSdkModel({
    provider: 'anthropic',
    name,
    nativeTools,
    contextTokens: settings.contextTokens ?? smallestWindow,
    names: {
      label: 'Anthropic',
      keyVariable: 'ANTHROPIC_API_KEY',
      urlVariable: 'ANTHROPIC_BASE_URL',
      secret: apiKey,
    },
    language: anthropic.languageModel(name),
    toOptions: (request) => toOptions(request, settings, nativeTools),
  })
}

function toOptions(
  request: ModelRequest,
  { name, maxOutputTokens, temperature }: ModelSettings,
  nativeTools: boolean,
): CallOptions {
  const prompt = toPrompt(request, { provider: 'anthropic', model: name }, nativeTools)
  const options: CallOptions = {
    prompt: withCachePoints(prompt),
    maxOutputTokens,
    ...(temperature !== undefined && { temperature }),
    // Arguments arrive once the provider has validated them; older gateways support nothing else.
    providerOptions: { anthropic: { toolStreaming: false } },
  }
  if (!nativeTools || request.tools.length === 0) return options
  return {
    ...options,
    tools: withLastCached(toTools(request)),
    toolChoice: { type: request.toolChoice },
  }
}

/**
 * Sets Anthropic's four cache points: tools, system, and the last two messages not written by the model. The older of the two is
 * where the previous request ended, however long the batch since then.
 */
function withCachePoints(prompt: Prompt): Prompt {
  const asked = prompt.flatMap(({ role }, index) =>
    role === 'user' || role === 'tool' ? [index] : [],
  )
  const points = new Set(asked.slice(-2))
  return prompt.map(
    (message, index): PromptMessage =>
      message.role === 'system' || points.has(index)
        ? { ...message, providerOptions: cachePoint }
        : message,
  )
}

function withLastCached(tools: readonly FunctionTool[]): FunctionTool[] {
  return tools.map((tool, index) =>
    index === tools.length - 1 ? { ...tool, providerOptions: cachePoint } : tool,
  )
}
