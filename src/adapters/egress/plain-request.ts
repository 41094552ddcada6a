import type { IncomingMessage } from 'node:http'
import type { EgressTarget } from '../../rules/web/egress/judge-authority.ts'
import type { Refusal } from './refusal.ts'

/** Where a request without TLS goes. */
export interface PlainTarget {
  /** `host:port` as it was written. */
  readonly authority: string
  /** Path and query as they were written. */
  readonly path: string
}

const absoluteForm = /^http:\/\/([^/?#@\\]+)(\/[^#]*|\?[^#]*)?$/i

/**
 * Reads the target of a request to a proxy (RFC 9112, 3.2.2), or of one in a tunnel to `within`. The Host header must name the same
 * host: what would let a server serve another one is not passed on.
 */
export function readPlainTarget(
  request: IncomingMessage,
  within: EgressTarget | undefined,
): PlainTarget | Refusal {
  const [host, second] = request.headersDistinct['host'] ?? []
  if (second !== undefined) return badRequest('there are several Host headers')
  const target = within === undefined ? fromAbsolute(request.url ?? '') : toOrigin(request, within)
  if ('why' in target) return target
  const isSame =
    host === undefined ? within === undefined : normalised(host) === normalised(target.authority)
  return isSame ? target : badRequest('the Host header names another host')
}

function fromAbsolute(url: string): PlainTarget | Refusal {
  const [, authority = '', path = '/'] = absoluteForm.exec(url) ?? []
  if (authority === '') {
    const advice = 'Use CONNECT for TLS, and http:// URLs without it.'
    return { ...badRequest('this is no request to a proxy'), advice }
  }
  return { authority: withPort(authority), path: path.startsWith('?') ? `/${path}` : path }
}

function toOrigin(
  { url = '' }: IncomingMessage,
  { host, port }: EgressTarget,
): PlainTarget | Refusal {
  if (!url.startsWith('/')) return badRequest('this is no request to a server')
  return { authority: `${host.includes(':') ? `[${host}]` : host}:${port}`, path: url }
}

function withPort(authority: string): string {
  return /:\d+$/.test(authority) ? authority : `${authority}:80`
}

function normalised(authority: string): string {
  return withPort(authority)
    .toLowerCase()
    .replace(/\.(?=:\d+$)/, '')
}

function badRequest(why: string): Refusal {
  return { status: 400, why }
}

/** Headers of one connection alone (RFC 9110, 7.6.1), and those that Node writes for the next one. */
const notPassed: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
])

/** Returns the headers that are passed on, as names and values in turn, with their order and repetitions. */
export function endToEndHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(',')
  const own = new Set(named.map((name) => name.trim()))
  const passed: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const key = name.toLowerCase()
    if (!notPassed.has(key) && !own.has(key)) passed.push(name, value)
  }
  return passed
}
