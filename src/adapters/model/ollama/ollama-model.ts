import { createOllama } from 'ollama-ai-provider-v2'
import { z } from 'zod'
import { type Model, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { GarbledStream } from '../answer/garbled-stream.ts'
import { reconnectingFetch } from '../base-url.ts'
import type { CallOptions } from '../language-model.ts'
import { limitOutputTokens, type ModelSettings } from '../model-settings.ts'
import { createSdkModel } from '../sdk-model.ts'
import { toPrompt, toTools } from '../to-prompt.ts'
import { fetchModelAbilities, type ModelAbilities, ollamaApiUrl } from './ask-ollama.ts'
import { ollamaWindow } from './ollama-models.ts'

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

const maxLineCharacters = 8 * 1024 * 1024

const count = z.number().optional().catch(undefined)
const word = z.string().optional().catch(undefined)

/** A value that is not an object is wrapped in one, so that the call fails validation like any other. */
const callArguments = z
  .unknown()
  .transform((value) => (isRecord(value) ? value : { invalid_arguments: value ?? null }))

const lineSchema = z.object({
  error: word,
  model: z.string().catch(''),
  created_at: z.string().catch(''),
  done: z.boolean().catch(false),
  done_reason: word,
  prompt_eval_count: count,
  eval_count: count,
  message: z
    .object({
      role: z.string().catch('assistant'),
      content: z.string().catch(''),
      thinking: word,
      tool_calls: z
        .array(
          z.object({
            id: word,
            // A call without a name is kept, so that the model gets an error for it.
            function: z
              .object({ name: z.string().catch(''), arguments: callArguments })
              .catch({ name: '', arguments: { invalid_arguments: null } }),
          }),
        )
        .optional()
        .catch(undefined),
    })
    .catch({ role: 'assistant', content: '' }),
})

/**
 * Validates each line of an Ollama stream. Ollama reports errors as a line inside the stream, and its SDK prints unexpected lines
 * to the terminal and continues. Here an error, or a line that is not a JSON object, ends the stream; other lines are brought
 * into the SDK's form.
 */
function guardOllamaStream(response: Response): Response {
  if (!response.ok || response.body === null) return response
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(createLineGuard())
    .pipeThrough(new TextEncoderStream())
  return new Response(body, response)
}

function createLineGuard(): TransformStream<string, string> {
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineCharacters) throw new GarbledStream('a line without end')
      for (const line of lines) controller.enqueue(checked(line))
    },
    flush(controller) {
      controller.enqueue(checked(rest))
    },
  })
}

function checked(line: string): string {
  if (line.trim() === '') return ''
  const parsed = lineSchema.safeParse(tryParseJson(line))
  if (!parsed.success) throw new GarbledStream('a line that is not JSON')
  const { error, ...data } = parsed.data
  if (error !== undefined) throw new Error(error)
  return `${JSON.stringify(data)}\n`
}
