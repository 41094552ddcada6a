import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { WebHop } from '../../domain/web-hop.ts'
import { checkUrl, type WebRules } from '../../rules/web/check-url.ts'
import { classifyFailure } from '../../rules/web/classify-failure.ts'
import { type FoundAddresses, findAddresses } from '../../rules/web/find-addresses.ts'
import { toLoggedUrl } from '../../rules/web/to-logged-url.ts'
import { lookUpHost } from '../../util/look-up-host.ts'
import { type Answer, ask } from './ask.ts'
import { stoppedError } from './page-reader.ts'
import type { RateLimitedHosts } from './rate-limited-hosts.ts'

/** Upper limit of a Retry-After in milliseconds. */
const longestMs = 900_000

/** Shared state of the web tools. */
export interface Web {
  readonly options: WebOptions
  readonly rateLimitedHosts: RateLimitedHosts
  readonly hooksForTests: WebHooksForTests | undefined
}

/** Result of one request. */
export type Visit = { readonly hop: WebHop } & (
  | { readonly kind: 'answered'; readonly url: string; readonly answer: Answer }
  | { readonly kind: 'redirected'; readonly to: string }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAfterMs?: number }
)

type Failed = Extract<Visit, { kind: 'failed' }>

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Performs one hop: checks the URL, then every address of its host, then requests it (WEB-02, WEB-03). Never rejects. */
export async function visit(web: Web, url: string, signal: AbortSignal): Promise<Visit> {
  const { options, rateLimitedHosts, hooksForTests } = web
  const checked = checkUrl(url, options.rules)
  const hop = { ...named(url), bytes: 0 }
  if (checked.kind === 'refused') return blocked(hop, checked.why)
  const { host } = checked
  const waitMs = rateLimitedHosts.remainingMs(host)
  if (waitMs > 0) return rateLimited(hop, host, waitMs)
  let found: FoundAddresses
  try {
    const lookUp = (name: string) => lookUpHost(name, signal, hooksForTests?.nameServers)
    found = await findAddresses(host, lookUp, hooksForTests?.mayReach)
  } catch (error) {
    return failed(hop, errorOf(error, host, 'lookup', signal))
  }
  if (found.kind === 'blocked') return blocked(hop, found.why)
  try {
    const answer = await ask({
      url: bareOf(checked.url),
      addresses: found.addresses,
      maxBodyBytes: options.maxBodyBytes,
      signal,
      ca: hooksForTests?.ca,
    })
    return toVisit(web, checked, answer, hop, signal)
  } catch (error) {
    return failed(hop, errorOf(error, host, 'request', signal))
  }
}

function toVisit(
  { options, rateLimitedHosts }: Web,
  { url, host }: { readonly url: string; readonly host: string },
  answer: Answer,
  asked: WebHop,
  signal: AbortSignal,
): Visit {
  const { status, headers, body, address } = answer
  const hop = {
    ...asked,
    status,
    bytes: body?.bytes ?? 0,
    ...(address === undefined ? {} : { address }),
  }
  if (body?.kind === 'broken') return failed(hop, errorOf(body.error, host, 'request', signal))
  if (status >= 200 && status < 300) return { kind: 'answered', url, answer, hop }
  const to = redirects.has(status) ? targetOf(headers['location'], url) : undefined
  if (to !== undefined) return { kind: 'redirected', to, hop }
  const retryAfterMs = parseRetryAfter(headers['retry-after'], options.now())
  if (status === 429 && retryAfterMs !== undefined) rateLimitedHosts.block(host, retryAfterMs)
  return { ...failed(hop, classifyStatus(host, status, retryAfterMs)), ...waitOf(retryAfterMs) }
}

function waitOf(retryAfterMs: number | undefined): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Resolves a Location header. Headers are decoded as Latin-1, but servers write UTF-8 into this one. */
function targetOf(location: string | undefined, from: string): string | undefined {
  if (location === undefined || location === '') return undefined
  const text = Buffer.from(location, 'latin1').toString('utf8')
  return URL.canParse(text, from) ? new URL(text, from).href : undefined
}

/** Returns the URL to request: without the host's final dot, which would fail the certificate check, and without a fragment. */
function bareOf(url: string): URL {
  const bare = new URL(url)
  bare.hostname = bare.hostname.replace(/\.+$/, '')
  bare.hash = ''
  return bare
}

function named(url: string): Pick<WebHop, 'url' | 'host' | 'method'> {
  const host = URL.canParse(url) ? new URL(url).hostname.slice(0, 255) : ''
  return { url: toLoggedUrl(url), host, method: 'GET' }
}

function blocked(hop: WebHop, why: string): Failed {
  const error: ToolError = { category: 'policy_blocked', message: why }
  return { kind: 'failed', error, hop: { ...hop, blocked: why } }
}

function rateLimited(hop: WebHop, host: string, waitMs: number): Failed {
  const why = `${host} asked to be left alone for ${inSeconds(waitMs)} more`
  const error: ToolError = { category: 'rate_limited', message: why }
  return { kind: 'failed', error, hop: { ...hop, blocked: why }, retryAfterMs: waitMs }
}

function failed(hop: WebHop, error: ToolError): Failed {
  return { kind: 'failed', error, hop: { ...hop, error: error.message } }
}

function errorOf(
  error: unknown,
  host: string,
  step: 'lookup' | 'request',
  signal: AbortSignal,
): ToolError {
  return signal.aborted ? stoppedError(signal) : classifyFailure(error, host, step)
}

/** Parses a `Retry-After` (RFC 9110, 10.2.3), seconds or a date, to milliseconds; undefined if absent or invalid. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, longestMs)
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now, 0), longestMs)
}

/** WEB-06: classifies an HTTP status other than success. */
function classifyStatus(host: string, status: number, retryAfterMs: number | undefined): ToolError {
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${inSeconds(retryAfterMs)}`
  return { category: categoryOf(status), message: `${host} answered ${status}${wait}` }
}

function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`
}

function categoryOf(status: number): ToolError['category'] {
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'server_error'
  if (status === 401 || status === 403) return 'policy_blocked'
  if (status === 400 || status === 422) return 'invalid_parameters'
  return 'permanent_failure'
}

/** Operator's settings for the web tools (`[tools.scrape]`). */
export interface WebOptions {
  readonly rules: WebRules
  /** WEB-05: time limit of the whole exchange, including redirects and reading the page. */
  readonly timeoutMs: number
  /** WEB-05: size limit of a body, both compressed and decompressed. */
  readonly maxBodyBytes: number
  /** Returns Unix milliseconds. */
  readonly now: () => number
}

/** WEB-08: allows tests to serve pages locally. The program has no way to set it. */
export interface WebHooksForTests {
  /** Name servers as `address:port` that replace the system's. */
  readonly nameServers: readonly string[]
  /** Certificate authorities in PEM that replace the default ones. */
  readonly ca: string
  /** Addresses that may be connected to although they are not public. */
  readonly mayReach: (address: string) => boolean
}
