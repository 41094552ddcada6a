import { ModelError } from '../../ports/model.ts'

/** Errors of a kept-alive connection that the other side closed, perhaps while this process was suspended (undici, Node). */
const cutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * A fetch that retries once, immediately, when the connection broke before the response started: the other side may close a
 * kept-alive connection at any time (RFC 9112, section 9.3.1). Only for requests that change nothing on the server and whose body
 * can be sent twice.
 */
export const reconnectingFetch: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (error) {
    if (!wasCut(error) || init?.signal?.aborted === true) throw error
    return await fetch(input, init)
  }
}

const versionSegment = /\/v\d+[a-z0-9]*(?=\/|$)/

/**
 * Normalises a base URL: no trailing slash, query or fragment. Throws ModelError `refused` for a URL that is not http(s) or holds
 * a password.
 */
export function parseBaseUrl(text: string, variable: string): string {
  const url = URL.parse(text.trim())
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new ModelError('refused', `${variable} is not an http or https URL.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ModelError('refused', `${variable} must not hold a user name or password.`)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Adds `/v1` unless a path segment already names a version (CONF-03). */
export function withVersion(baseUrl: string): string {
  return hasVersion(baseUrl) ? baseUrl : `${baseUrl}/v1`
}

/** Removes a version at the end of the URL. */
export function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v\d+$/, '')
}

/**
 * A fetch for `withVersion(baseUrl)`. Servers whose protocol has no version segment answer 404 there; then the URL as configured
 * is tried, and the working one is kept. Redirects are not followed: a key must not reach another host.
 */
export function createVersionedFetch(baseUrl: string, variable: string): typeof fetch {
  let asGiven = false
  const request = async (input: FetchInput, init: RequestInit | undefined, plain: boolean) => {
    const url = plain ? withoutAdded(String(input), baseUrl) : input
    return assertNoPage(await reconnectingFetch(url, { ...init, redirect: 'manual' }), variable)
  }
  if (hasVersion(baseUrl)) return (input, init) => request(input, init, false)
  return async (input, init) => {
    const answer = await request(input, init, asGiven)
    if (answer.status !== 404 || asGiven) return answer
    const second = await request(input, init, true)
    if (second.status === 404) return await discardAndAnswer(second, answer)
    asGiven = true
    return await discardAndAnswer(answer, second)
  }
}

type FetchInput = Parameters<typeof fetch>[0]

/** A web site answers every path with its start page, which is not a model's answer. */
function assertNoPage(response: Response, variable: string): Response {
  if (!response.ok || response.headers.get('content-type')?.includes('text/html') !== true)
    return response
  throw new ModelError('refused', `What ${variable} names is a web site, not a model server.`)
}

function hasVersion(baseUrl: string): boolean {
  return versionSegment.test(new URL(baseUrl).pathname)
}

function withoutAdded(url: string, baseUrl: string): string {
  return url.startsWith(`${baseUrl}/v1/`) ? baseUrl + url.slice(`${baseUrl}/v1`.length) : url
}

async function discardAndAnswer(unwanted: Response, wanted: Response): Promise<Response> {
  await unwanted.body?.cancel()
  return wanted
}

function wasCut(error: unknown): boolean {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return false
  return 'code' in error.cause && cutCodes.has(String(error.cause.code))
}
