import type { Model, ModelAnswer, ModelRequest } from '../../ports/model.ts'
import { unlessAborted } from '../../util/abort.ts'
import { readStream } from './answer/read-stream.ts'
import { toAnswer } from './answer/to-answer.ts'
import type { CallOptions, LanguageModel } from './language-model.ts'
import { abortedError, type ProviderNames, toModelError } from './to-model-error.ts'

/** The provider-specific part of a model: the SDK's model and the options of a request. */
export interface SdkModel {
  readonly provider: Model['provider']
  readonly name: string
  readonly nativeTools: boolean
  readonly contextTokens: number | undefined
  readonly names: ProviderNames
  readonly language: LanguageModel
  toOptions(request: ModelRequest): CallOptions
}

/**
 * A model that runs one step of the AI SDK: one streamed request, nothing executed or retried. An abort takes effect at once,
 * even if the provider continues to send.
 */
export function createSdkModel(sdk: SdkModel): Model {
  const { provider, name, nativeTools, contextTokens } = sdk
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    provider,
    name,
    nativeTools,
    answer: (request) => askUntilAborted(sdk, request),
  }
}

async function ask(sdk: SdkModel, request: ModelRequest): Promise<ModelAnswer> {
  let begun = false
  const signer = { provider: sdk.provider, model: sdk.name }
  const onText = (text: string) => {
    if (!request.signal.aborted) request.onText?.(text)
  }
  try {
    const options = { ...sdk.toOptions(request), abortSignal: request.signal }
    const { stream } = await sdk.language.doStream(options)
    begun = true
    return toAnswer(await readStream(stream, onText), request, signer, sdk.nativeTools)
  } catch (error) {
    if (request.signal.aborted) throw abortedError(sdk.names)
    throw toModelError(error, sdk.names, begun)
  }
}

async function askUntilAborted(sdk: SdkModel, request: ModelRequest): Promise<ModelAnswer> {
  const { signal } = request
  if (signal.aborted) throw abortedError(sdk.names)
  const answer = await unlessAborted(ask(sdk, request), signal, undefined)
  if (answer === undefined) throw abortedError(sdk.names)
  return answer
}
