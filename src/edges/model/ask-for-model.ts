import { z } from 'zod'
import { createVersionedFetch, parseBaseUrl, withVersion } from './base-url.ts'

/** What a provider says of a model by its name; why in words for people, without full stop and without the key. */
export type NamedModelAnswer =
  | { readonly kind: 'there' }
  /** `names`: those that it has, some of them. */
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string }
  /** It cannot be reached, or has no list of its models. */
  | { readonly kind: 'unknown'; readonly why: string }

export interface Endpoint {
  readonly provider: 'anthropic' | 'openai'
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
}

/** In milliseconds, for each of two requests. */
const patienceMs = 5_000
const mostNames = 20

const one = z.object({ id: z.string() })
const list = z.object({ data: z.array(one) })

/**
 * Asks for one model by its name, without using it: `GET /v1/models/{name}`, and where a server does not know that, its list
 * `GET /v1/models` (https://platform.claude.com/docs/en/api/models, https://platform.openai.com/docs/api-reference/models).
 * Rejects only for a base URL that cannot work.
 */
export async function askForModel(name: string, endpoint: Endpoint): Promise<NamedModelAnswer> {
  const { url, send } = reach(endpoint)
  try {
    const found = await send(`${url}/models/${encodeURIComponent(name)}`)
    if (found.ok && one.safeParse(await found.json().catch(() => undefined)).success)
      return { kind: 'there' }
    if (isRefusal(found)) return { kind: 'refused', why: `it refuses the key (${found.status})` }
    return nameIn(name, await send(`${url}/models?limit=1000`))
  } catch (error) {
    return { kind: 'unknown', why: `it cannot be reached${codeOf(error)}` }
  }
}

async function nameIn(name: string, answer: Response): Promise<NamedModelAnswer> {
  const unlisted = { kind: 'unknown', why: 'it has no list of its models' } as const
  if (isRefusal(answer)) return { kind: 'refused', why: `it refuses the key (${answer.status})` }
  if (!answer.ok) return unlisted
  const listed = list.safeParse(await answer.json().catch(() => undefined))
  if (!listed.success) return unlisted
  const names = listed.data.data.map(({ id }) => id)
  return names.includes(name)
    ? { kind: 'there' }
    : { kind: 'missing', names: names.slice(0, mostNames) }
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
