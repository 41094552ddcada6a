import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'

/**
 * Refuses with 421 any request whose `Host` is not allowed. A web page can point its own domain name at this machine (DNS
 * rebinding) and read the answer, but it cannot forge an address, `localhost` or a name without a dot.
 */
export function allowHosts(names: readonly string[]): MiddlewareHandler {
  const known = new Set(names.map((name) => name.toLowerCase()))
  return async (context, next) => {
    const host = hostOf(context.req.header('Host') ?? '')
    if (host !== undefined && (isLocal(host) || known.has(host))) return next()
    return context.text('This name is not known here: add it to [http] allowed_hosts.\n', 421)
  }
}

/** The host in lower case, without port, final dot and brackets; undefined if the header is malformed. */
function hostOf(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(header) ?? []
  return (bracketed ?? plain?.replace(/\.$/, ''))?.toLowerCase()
}

function isLocal(host: string): boolean {
  return isIP(host) !== 0 || host.endsWith('.localhost') || !host.includes('.')
}
