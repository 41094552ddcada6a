import { z } from 'zod'
import { createVersionedFetch, parseBaseUrl, withVersion } from './base-url.ts'

/** A provider's answer about a named model; `why` is for people, without a full stop and without the key. */
export type ModelLookup =
  /** `contextTokens`: the context window, if the server reports it (LOOP-12). */
  | { readonly kind: 'there'; readonly contextTokens?: number }
  /** `names`: some of the models that the server has. */
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string }
  /** The server is unreachable or has no model list. */
  | { readonly kind: 'unknown'; readonly why: string }

export interface Endpoint {
  readonly provider: 'anthropic' | 'openai'
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
}

/** Time limit for each of two requests, in milliseconds. */
const patienceMs = 5_000
const mostNames = 20

const tokens = z.int().min(1).optional().catch(undefined)

/** Names of the context window field: vLLM, OpenRouter, Groq, Mistral, LM Studio, Anthropic, llama.cpp. */
const one = z.object({
  id: z.string(),
  max_model_len: tokens,
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  loaded_context_length: tokens,
  max_input_tokens: tokens,
  meta: z.object({ n_ctx: tokens }).optional().catch(undefined),
})
const list = z.object({ data: z.array(one) })

type Listed = z.infer<typeof one>

/** Takes the smallest reported window: the loaded one may be smaller than the model's maximum. */
function thereAs({ id: _, meta, ...windows }: Listed): ModelLookup {
  const told = [...Object.values(windows), meta?.n_ctx].filter((count) => count !== undefined)
  return told.length === 0 ? { kind: 'there' } : { kind: 'there', contextTokens: Math.min(...told) }
}

/**
 * Looks up one model by name without using it, and its context window: `GET /v1/models/{name}`, then `GET /v1/models` if the
 * server does not support that (https://platform.claude.com/docs/en/api/models,
 * https://platform.openai.com/docs/api-reference/models). Rejects only for an unusable base URL.
 */
export async function lookUpModel(name: string, endpoint: Endpoint): Promise<ModelLookup> {
  const { url, send } = reach(endpoint)
  try {
    const found = await send(`${url}/models/${encodeURIComponent(name)}`)
    const told = found.ok ? one.safeParse(await found.json().catch(() => undefined)) : undefined
    if (told?.success === true) return thereAs(told.data)
    if (isRefusal(found)) return { kind: 'refused', why: `it refuses the key (${found.status})` }
    return nameIn(name, await send(`${url}/models?limit=1000`))
  } catch (error) {
    return { kind: 'unknown', why: `it cannot be reached${codeOf(error)}` }
  }
}

async function nameIn(name: string, answer: Response): Promise<ModelLookup> {
  const unlisted = { kind: 'unknown', why: 'it has no list of its models' } as const
  if (isRefusal(answer)) return { kind: 'refused', why: `it refuses the key (${answer.status})` }
  if (!answer.ok) return unlisted
  const listed = list.safeParse(await answer.json().catch(() => undefined))
  if (!listed.success) return unlisted
  const { data } = listed.data
  const found = data.find(({ id }) => id === name)
  if (found !== undefined) return thereAs(found)
  return { kind: 'missing', names: data.map(({ id }) => id).slice(0, mostNames) }
}

const own = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' }

function reach({ provider, apiKey, baseUrl }: Endpoint) {
  const variable = provider === 'anthropic' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL'
  const base = parseBaseUrl(baseUrl ?? own[provider], variable)
  const versioned = createVersionedFetch(base, variable)
  const headers = headersOf(provider, apiKey)
  return {
    url: withVersion(base),
    send: (url: string) => versioned(url, { headers, signal: AbortSignal.timeout(patienceMs) }),
  }
}

function headersOf(
  provider: Endpoint['provider'],
  apiKey: string | undefined,
): Readonly<Record<string, string>> {
  if (provider === 'openai')
    return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  return { 'anthropic-version': '2023-06-01', ...(apiKey !== undefined && { 'x-api-key': apiKey }) }
}

function isRefusal({ status }: Response): boolean {
  return status === 401 || status === 403
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
}
