import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { EgressOptions, EgressProxy } from '../../ports/egress.ts'
import { hasCode } from '../../util/has-code.ts'
import type { Egress } from './admit.ts'
import { ConnectionRecord } from './connection-record.ts'
import { type EgressHooksForTests, egressSettings, type Limits } from './egress-settings.ts'
import { forwardRequest } from './forward-request.ts'
import { listenOnSocket } from './listen-on-socket.ts'
import { openTunnel, type PlainTunnel } from './open-tunnel.ts'
import { PendingAsks } from './pending-asks.ts'
import { readPlainTarget } from './plain-request.ts'
import { type Refusal, respondRefusal, sendRefusal } from './refusal.ts'

/**
 * Opens the proxy of one program in a box without network (MCP-04, THREAT-36). It speaks HTTP/1.1 over a Unix socket: CONNECT for TLS
 * to hosts of the list, and requests for `http://` URLs to those listed so. Rejects if the options are invalid, or the socket cannot be
 * made. Only tests pass `hooksForTests`.
 */
export async function openEgressProxy(
  options: EgressOptions,
  hooksForTests?: EgressHooksForTests,
): Promise<EgressProxy> {
  const { hosts, limits: given = {} } = options
  const { hosts: list, limits } = egressSettings.parse({ hosts, limits: given })
  const egress = { list, limits, asks: new PendingAsks(options.ask, limits), hooksForTests }
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    requestTimeout: Math.max(limits.headerMs, longestRequestMs),
    connectionsCheckingInterval: Math.min(limits.headerMs, 1_000),
  })
  server.setTimeout(limits.idleMs)
  const connections = new Connections(server, egress, options.observe)
  const socket = await listenOnSocket(server, options.directory, options.owner)
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      await connections[Symbol.asyncDispose]()
      await closed
      await rm(socket, { force: true })
    },
  }
}

/** Milliseconds for a whole request without TLS. */
const longestRequestMs = 300_000

const tooManyOpen: Refusal = {
  status: 503,
  why: 'too many connections are open',
  advice: 'Close some first.',
}

/** Connections of the program, and what comes over them. */
class Connections implements AsyncDisposable {
  readonly #server: Server
  readonly #egress: Egress
  readonly #observe: EgressOptions['observe']
  readonly #open = new Set<Socket>()
  readonly #plainTunnels = new WeakMap<Socket, PlainTunnel>()
  readonly #running = new Set<Promise<void>>()

  constructor(server: Server, egress: Egress, observe: EgressOptions['observe']) {
    this.#server = server
    this.#egress = egress
    this.#observe = observe
    server.on('connection', (client) => this.#accept(client))
    server.on('connect', (request, client, head) => this.#connect(request, client, head))
    server.on('request', (request, response) => this.#request(request, response))
    server.on('clientError', (error, client) => this.#fail(error, client))
  }

  /** Ends all connections; their records have been emitted when it resolves. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#open) client.destroy()
    await Promise.all(this.#running)
  }

  #run(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  #accept(client: Socket): void {
    // A tunnel without TLS comes again, to be read as requests.
    if (this.#open.has(client)) return
    this.#open.add(client)
    client.on('error', () => undefined).once('close', () => this.#open.delete(client))
    if (this.#open.size > this.#egress.limits.connections) this.#refuse(client, '', tooManyOpen)
  }

  #connect(request: IncomingMessage, client: unknown, head: Buffer): void {
    // Of a connection that was refused as one too many, or is none of ours.
    if (!(client instanceof Socket) || client.writableEnded) return
    const authority = request.url ?? ''
    if (this.#plainTunnels.has(client)) {
      this.#refuse(client, authority, nested)
      return
    }
    const serve = (tunnel: PlainTunnel) => {
      this.#plainTunnels.set(client, tunnel)
      this.#server.emit('connection', client)
      client.resume()
    }
    const record = new ConnectionRecord(authority, this.#observe)
    this.#run(openTunnel(this.#egress, { client, head, authority }, record, serve))
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    if (request.socket.writableEnded) return
    const tunnel = this.#plainTunnels.get(request.socket)
    const target = readPlainTarget(request, tunnel?.target)
    const isRefused = 'why' in target
    const record = new ConnectionRecord(isRefused ? '' : target.authority, this.#observe)
    if (isRefused) {
      record.refused(target.why)
      respondRefusal(response, target)
      return
    }
    this.#run(forwardRequest(this.#egress, { request, response, target }, record, tunnel))
  }

  /** Errors of a socket come here as well as those of the parser. */
  #fail(error: Error, client: unknown): void {
    if (!(client instanceof Socket)) return
    const refusal = toParseRefusal(error, this.#egress.limits)
    if (refusal === undefined || client.writableEnded) client.destroy()
    else this.#refuse(client, '', refusal)
  }

  #refuse(client: Socket, authority: string, refusal: Refusal): void {
    new ConnectionRecord(authority, this.#observe).refused(refusal.why)
    sendRefusal(client, refusal)
  }
}

const nested: Refusal = { status: 400, why: 'a tunnel in a tunnel is not opened' }

function toParseRefusal(error: Error, { headerBytes, headerMs }: Limits): Refusal | undefined {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW'))
    return { status: 431, why: `the head of the request is longer than ${headerBytes} bytes` }
  if (hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT'))
    return { status: 408, why: `no whole request came within ${headerMs} ms` }
  const isOfParser = 'code' in error && String(error.code).startsWith('HPE_')
  return isOfParser ? { status: 400, why: 'this is not HTTP/1.1' } : undefined
}
