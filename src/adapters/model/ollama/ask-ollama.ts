import { z } from 'zod'
import { postJson } from '../post-json.ts'
import { reconnectingFetch } from '../reconnecting-fetch.ts'
import { ollamaApiUrl } from './ollama-api-url.ts'

/** What an Ollama server says of one of its models; of an unknown one why, in words for people and without full stop. */
export type ModelAbilities =
  | {
      readonly kind: 'known'
      readonly nativeTools: boolean
      /** LOOP-12: the tokens that it can take in. */
      readonly contextTokens?: number
      /** What its own file sets, and the server takes where it is told nothing. */
      readonly ownContextTokens?: number
    }
  /** It has no such model (yet). */
  | { readonly kind: 'missing'; readonly why: string }
  /** It cannot be reached, or answers otherwise than Ollama does. */
  | { readonly kind: 'unknown'; readonly why: string }

interface Server {
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
}

const shown = z.object({
  capabilities: z.array(z.string()).optional(),
  template: z.string().catch(''),
  parameters: z.string().catch(''),
  model_info: z.record(z.string(), z.unknown()).catch({}),
})

const tokens = z.int().min(1)

/** It reads a file of its own disk for this. */
const patienceMs = 3_000

/**
 * MODEL-02, LOOP-12: whether a model has tool calls of its own, and how much it takes in (`POST /api/show`). Servers before 0.6.4 tell no capabilities: there a model
 * has them when its template uses tools, by which Ollama itself decides. Rejects only for a base URL that cannot work.
 */
export async function askOllama(
  model: string,
  { baseUrl, apiKey }: Server,
  signal?: AbortSignal,
): Promise<ModelAbilities> {
  const url = `${ollamaApiUrl(baseUrl)}/show`
  const deadline = AbortSignal.timeout(patienceMs)
  try {
    const response = await postJson(reconnectingFetch, url, {
      body: { model },
      apiKey,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    })
    if (!response.ok) return await refused(response, model)
    const {
      capabilities,
      template,
      parameters,
      model_info: info,
    } = shown.parse(await response.json())
    return {
      kind: 'known',
      nativeTools: capabilities?.includes('tools') ?? usesTools(template),
      ...windowsOf(parameters, info),
    }
  } catch (error) {
    return { kind: 'unknown', why: whyOf(error) }
  }
}

async function refused(response: Response, model: string): Promise<ModelAbilities> {
  await response.body?.cancel()
  if (response.status === 404) return { kind: 'missing', why: `Ollama has no model ${model}` }
  return { kind: 'unknown', why: `Ollama answered ${response.status}` }
}

/** `model_info` names the architecture's window, as in `llama.context_length`; `parameters` holds lines as a Modelfile has them. */
function windowsOf(
  parameters: string,
  info: Readonly<Record<string, unknown>>,
): Pick<Extract<ModelAbilities, { kind: 'known' }>, 'contextTokens' | 'ownContextTokens'> {
  const key = Object.keys(info).find((name) => name.endsWith('.context_length'))
  const most = tokens.safeParse(key === undefined ? undefined : info[key])
  const own = tokens.safeParse(Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1]))
  return {
    ...(most.success && { contextTokens: most.data }),
    ...(own.success && { ownContextTokens: own.data }),
  }
}

function usesTools(template: string): boolean {
  return /\.Tools\b/.test(template)
}

function whyOf(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return 'what OLLAMA_BASE_URL names does not answer as Ollama does'
  }
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `Ollama cannot be reached${code}`
}
