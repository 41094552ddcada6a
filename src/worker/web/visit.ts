import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { WebHop } from '../../domain/web-hop.ts'
import { checkUrl } from '../../rules/web/check-url.ts'
import { toLoggedUrl } from '../../rules/web/to-logged-url.ts'
import { type Answer, ask } from './ask.ts'
import { classifyFailure } from './classify-failure.ts'
import { classifyStatus, inSeconds } from './classify-status.ts'
import { type Addresses, findAddresses } from './find-addresses.ts'
import type { QuietHosts } from './quiet-hosts.ts'
import { parseRetryAfter } from './retry-after.ts'
import { stoppedError } from './stopped-error.ts'
import type { WebHooksForTests, WebOptions } from './web-options.ts'

/** What it needs of the tools it works for. */
export interface Web {
  readonly options: WebOptions
  readonly quietHosts: QuietHosts
  readonly hooksForTests: WebHooksForTests | undefined
}

/** Where one request led. */
export type Visit = { readonly hop: WebHop } & (
  | { readonly kind: 'answered'; readonly url: string; readonly answer: Answer }
  | { readonly kind: 'redirected'; readonly to: string }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAfterMs?: number }
)

type Failed = Extract<Visit, { kind: 'failed' }>

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One hop: the URL is checked, then every address of its host, then it is asked for (WEB-02, WEB-03). Never rejects. */
export async function visit(web: Web, url: string, signal: AbortSignal): Promise<Visit> {
  const { options, quietHosts, hooksForTests } = web
  const checked = checkUrl(url, options.rules)
  const hop = { ...named(url), bytes: 0 }
  if (checked.kind === 'refused') return blocked(hop, checked.why)
  const { host } = checked
  const waitMs = quietHosts.waitFor(host)
  if (waitMs > 0) return quiet(hop, host, waitMs)
  let found: Addresses
  try {
    found = await findAddresses(host, signal, hooksForTests)
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
  { options, quietHosts }: Web,
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
  if (status === 429 && retryAfterMs !== undefined) quietHosts.leaveAlone(host, retryAfterMs)
  return { ...failed(hop, classifyStatus(host, status, retryAfterMs)), ...waitOf(retryAfterMs) }
}

function waitOf(retryAfterMs: number | undefined): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Headers come as Latin-1; servers write UTF-8 into this one. */
function targetOf(location: string | undefined, from: string): string | undefined {
  if (location === undefined || location === '') return undefined
  const text = Buffer.from(location, 'latin1').toString('utf8')
  return URL.canParse(text, from) ? new URL(text, from).href : undefined
}

/** As it is asked for: the final dot of a host would be looked for in the certificate; a fragment is not sent. */
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

function quiet(hop: WebHop, host: string, waitMs: number): Failed {
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
