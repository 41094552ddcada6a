import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'

/**
 * Lets a request pass whose `Host` no page of a stranger can carry: a page may point a name of its own at this machine (DNS
 * rebinding) and read what is answered, but not an address, `localhost`, or a name without a dot. Others are refused with 421.
 */
export function allowHosts(names: readonly string[]): MiddlewareHandler {
  const known = new Set(names.map((name) => name.toLowerCase()))
  return async (context, next) => {
    const host = hostOf(context.req.header('Host') ?? '')
    if (host !== undefined && (isLocal(host) || known.has(host))) return next()
    return context.text('This name is not known here: add it to [http] allowed_hosts.\n', 421)
  }
}

/** Without port, final dot and brackets, in lower case; undefined: not a host. */
function hostOf(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(header) ?? []
  return (bracketed ?? plain?.replace(/\.$/, ''))?.toLowerCase()
}

function isLocal(host: string): boolean {
  return isIP(host) !== 0 || host.endsWith('.localhost') || !host.includes('.')
}
