import { z } from 'zod'
import { parseBaseUrl, reconnectingFetch, withoutVersion } from '../base-url.ts'
import { postJson } from '../post-json.ts'

const ownBaseUrl = 'http://127.0.0.1:11434'

/** An Ollama server's report on one of its models; `why` is for people, without a full stop. */
export type ModelAbilities =
  | {
      readonly kind: 'known'
      readonly nativeTools: boolean
      /** LOOP-12: the model's context window in tokens. */
      readonly contextTokens?: number
      /** Set in the model's own file; the server's default when the request names none. */
      readonly ownContextTokens?: number
    }
  /** The model does not exist on the server (yet). */
  | { readonly kind: 'missing'; readonly why: string }
  /** The server is unreachable, or its answer is not Ollama's. */
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

/** The server only reads a local file for this. */
const patienceMs = 3_000

/**
 * MODEL-02, LOOP-12: asks whether a model has native tool calls, and for its context window (`POST /api/show`). Servers before
 * 0.6.4 report no capabilities; there the model's template is checked for tools, as Ollama does itself. Rejects only for an
 * unusable base URL.
 */
export async function fetchModelAbilities(
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

/** `model_info` holds the architecture's window, as in `llama.context_length`; `parameters` holds lines of the Modelfile. */
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

/** CONF-03: the URL of Ollama's native protocol; the base URL may end with `/v1` (its OpenAI protocol), `/api` or neither. */
export function ollamaApiUrl(baseUrl: string | undefined): string {
  const root = withoutVersion(parseBaseUrl(baseUrl || ownBaseUrl, 'OLLAMA_BASE_URL'))
  return root.endsWith('/api') ? root : `${root}/api`
}
