import type { LookupFunction } from 'node:net'
import { Agent, fetch as send } from 'undici'
import { findAddresses } from '../../rules/web/find-addresses.ts'
import { hostProblem } from '../../rules/web/host-problem.ts'
import { lookUpHost, pinnedTo } from '../../util/look-up-host.ts'

/** Bytes of one answer, a stream of events included. */
const maxBodyBytes = 64 * 1024 * 1024

/** Milliseconds to find the addresses of a name. */
const lookUpMs = 10_000

/** A `fetch` for one server, and the connections behind it. */
export interface GuardedFetch extends AsyncDisposable {
  readonly fetch: typeof fetch
}

/**
 * MCP-04: a `fetch` that reaches one origin alone. A name that the operator wrote as public must have public addresses only, when
 * each connection is made: whoever answers for the name could otherwise lead us into our own network. An address or a private
 * name that the operator wrote is reached as it is.
 */
export function createGuardedFetch(server: string, lookUp: LookUp = lookUpName): GuardedFetch {
  const { origin, hostname } = new URL(server)
  const host = hostname.replace(/^\[|\]$/gu, '')
  const isPrivate = hostProblem(host, server) !== undefined
  const agent = new Agent({ connect: isPrivate ? {} : { lookup: onlyPublic(lookUp) } })
  const guarded: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== origin)
      throw new TypeError(`${url.host} is not the server that was configured`)
    const { body, headers, method = 'GET', redirect = 'manual', signal } = init ?? {}
    const answer = await send(url, {
      dispatcher: agent,
      method,
      redirect,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal ? { signal } : {}),
      ...(typeof body === 'string' ? { body } : {}),
    })
    const { status, statusText } = answer
    const bounded = answer.body?.pipeThrough(bound()) ?? null
    const answered = new Response(isEmpty(status) ? null : bounded, {
      status,
      statusText,
      headers: [...answer.headers],
    })
    Object.defineProperty(answered, 'url', { value: url.href })
    return answered
  }
  return { fetch: guarded, [Symbol.asyncDispose]: () => agent.destroy() }
}

/** Statuses whose answers have no body. */
function isEmpty(status: number): boolean {
  return [101, 204, 205, 304].includes(status)
}

function bound(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > maxBodyBytes) controller.error(new TypeError('the answer is too large'))
      else controller.enqueue(chunk)
    },
  })
}

/** Finds all addresses of a name. */
type LookUp = (host: string) => Promise<readonly string[]>

const lookUpName: LookUp = (host) => lookUpHost(host, AbortSignal.timeout(lookUpMs))

/** Connects to public addresses alone; one that is not refuses them all. */
function onlyPublic(lookUp: LookUp): LookupFunction {
  return (host, options, callback) => {
    findAddresses(host, lookUp).then(
      (found) => {
        if (found.kind === 'blocked') callback(new Error(found.why), '')
        else pinnedTo(found.addresses)(host, options, callback)
      },
      (error) => callback(error, ''),
    )
  }
}
