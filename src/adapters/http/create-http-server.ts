import type { Server } from 'node:http'
import { isIP } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { limitHalfOpen } from '../../util/limit-half-open.ts'
import type { Log } from '../../util/log.ts'

export interface HttpServer extends AsyncDisposable {
  /** The actual port if port 0 was requested. */
  readonly port: number
}

interface HttpServerOptions {
  /** `host:port`; port 0 picks a free one. */
  readonly listen: string
  readonly routes: readonly Hono[]
  readonly log: Log
}

/** Time limits for the request head and for the whole request. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
/** Further connections are refused: each may hold a full body in memory. */
const mostConnections = 200
/** Per network, so that one client cannot take all connections without completing a request. */
const mostHalfOpen = 50
/** Grace period for requests in progress when the server is disposed. */
const closeWithinMs = 5_000

/** Starts listening; rejects when the address is in use. Unknown routes answer 404. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port } = parseListen(options.listen)
  const server = createAdaptorServer({
    fetch: createApp(options).fetch,
    overrideGlobalObjects: false,
    serverOptions: { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs },
  }) as Server
  server.maxConnections = mostConnections
  limitHalfOpen(server, mostHalfOpen)
  await listen(server, host, port)
  server.on('error', (error) => options.log.error({ err: error }, 'http: the server failed'))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: () => closeWithin(server),
  }
}

function createApp({ routes, log }: HttpServerOptions): Hono {
  const app = new Hono()
  for (const sub of routes) app.route('/', sub)
  app.notFound((context) => context.body(null, 404))
  app.onError((error, context) => {
    if (error instanceof HTTPException) return context.body(null, error.status)
    log.error({ name: error.name, path: context.req.path }, 'http: a route failed')
    return context.body(null, 500)
  })
  return app
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  server.off('error', reject)
}

async function closeWithin(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const timer = setTimeout(() => server.closeAllConnections(), closeWithinMs)
  await promise
  clearTimeout(timer)
}

/** `127.0.0.1:8420` or `[::1]:8420`; throws on anything else. */
export function parseListen(listen: string): { readonly host: string; readonly port: number } {
  const parts = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/iu.exec(listen)
  const host = parts?.[1] ?? parts?.[2]
  const port = Number(parts?.[3])
  if (host === undefined || !(port <= 65_535)) {
    throw new Error(`not an address to listen on, such as 127.0.0.1:8420: ${listen}`)
  }
  return { host, port }
}

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
