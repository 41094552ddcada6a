import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { createWebTools } from '../../../src/worker/web/create-web-tools.ts'
import type { WebHooksForTests, WebOptions } from '../../../src/worker/web/visit.ts'
import type { WorkerToolOutcome } from '../../../src/worker/worker-tool.ts'
import { type Certificates, createCertificates } from './create-certificates.ts'
import { createNameServer, type NameServer } from './name-server.ts'

export type Route = (request: IncomingMessage, response: ServerResponse) => void

/** Sites on this machine, with an authority and a name server of their own, and the tools that may reach them. */
export interface WebPlace extends AsyncDisposable {
  readonly port: number
  readonly names: NameServer
  /** Pages by path. */
  readonly routes: Map<string, Route>
  readonly requests: readonly {
    readonly host: string
    readonly path: string
    readonly headers: IncomingMessage['headers']
  }[]
  /** Connections that stand now. */
  readonly connections: ReadonlySet<Socket>
  readonly hooksForTests: WebHooksForTests
  readonly options: WebOptions
  url(path: string, host?: string): string
  /** The tools again, with other options. */
  tools(more?: Partial<WebOptions>): ReturnType<typeof createWebTools>
  fetch(url: string, signal?: AbortSignal): Promise<WorkerToolOutcome>
  scrape(args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<WorkerToolOutcome>
}

/** The host that its pages are on, and one that its certificate is good for too. */
export const site = 'site.example'
export const other = 'other.example'
/** Resolves to the same place, and is not in the certificate. */
export const stranger = 'stranger.example'

/** May be reached, and nobody listens there. */
export const nobodyThere = '127.0.0.3'

let made: Promise<Certificates> | undefined

export async function createWebPlace(more: Partial<WebOptions> = {}): Promise<WebPlace> {
  made ??= createCertificates([site, other, 'denied.example'])
  const { ca, cert, key } = await made
  const names = await createNameServer()
  for (const name of [site, other, stranger, 'denied.example']) {
    names.names.set(name, () => ({ a: ['127.0.0.1'] }))
  }
  const routes = new Map<string, Route>()
  const requests: WebPlace['requests'][number][] = []
  const connections = new Set<Socket>()
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? ''
    requests.push({ host: request.headers.host ?? '', path, headers: request.headers })
    const route = routes.get(path.replace(/[?].*$/s, ''))
    if (route !== undefined) return route(request, response)
    response.writeHead(404).end()
  })
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('error', () => undefined).on('close', () => connections.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const options: WebOptions = {
    rules: { allowedDomains: [], deniedDomains: ['denied.example'], allowedPorts: [port] },
    timeoutMs: 30_000,
    maxBodyBytes: 1_048_576,
    now: Date.now,
    ...more,
  }
  const hooksForTests: WebHooksForTests = {
    nameServers: [names.address],
    ca,
    mayReach: (to) => to === '127.0.0.1' || to === nobodyThere,
  }
  const web = createWebTools(options, hooksForTests)
  const call = (name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
    callTool(web, name, args, signal)
  return {
    port,
    names,
    routes,
    requests,
    connections,
    options,
    hooksForTests,
    url: (path, host = site) => `https://${host}:${port}${path}`,
    tools: (changed = {}) => createWebTools({ ...options, ...changed }, hooksForTests),
    fetch: (url, signal) => call('fetch', { url }, signal),
    scrape: (args, signal) => call('web_scrape', args, signal),
    [Symbol.asyncDispose]: async () => {
      await web[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await names[Symbol.asyncDispose]()
    },
  }
}

/** Calls a tool as the worker does. */
export function callTool(
  { tools }: Pick<ReturnType<typeof createWebTools>, 'tools'>,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<WorkerToolOutcome> {
  const tool = tools.get(name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  const call = { callId: 'call', caller: 'test:ada', conversation: 'room', timeoutMs: 60_000 }
  return tool(args, { ...call, signal })
}

/** A page of this type. */
export function page(
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Route {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body)
  }
}

/** A redirect. */
export function to(location: string, status = 302): Route {
  return (_request, response) => {
    response.writeHead(status, { location }).end('elsewhere')
  }
}

/** Why a call failed: its category and message. */
export function errorOf(outcome: WorkerToolOutcome): { category: string; message: string } {
  if (outcome.kind === 'error') return outcome.error
  throw new Error(`it did not fail: ${outcome.output.slice(0, 200)}`)
}
