import { ModelError } from '../../ports/model.ts'
import { reconnectingFetch } from './reconnecting-fetch.ts'

const versionSegment = /\/v\d+[a-z0-9]*(?=\/|$)/

/**
 * A base URL as a person gave it, without a trailing slash, query or fragment.
 * Throws ModelError `refused` when it is no http(s) URL or holds a password.
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

/** The same URL with `/v1` added when no segment of its path names a version (CONF-03). */
export function withVersion(baseUrl: string): string {
  return hasVersion(baseUrl) ? baseUrl : `${baseUrl}/v1`
}

/** The same URL without a version at its end. */
export function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v\d+$/, '')
}

/**
 * A fetch for `withVersion(baseUrl)`: servers whose protocol has no version segment answer 404 there, so
 * that one answer makes it try the URL as it was given, and stay with what worked. Redirects are
 * answers, not followed: a key must not travel to another host.
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

/** A web site answers every path with its start page; that is no model. */
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
