import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './network-of.ts'

/**
 * Limits connections per network on which no complete request has arrived; beyond the limit the oldest one is closed. Node's own
 * time-outs end each one later, but many at once would block all other clients until then.
 */
export function limitHalfOpen(server: Server, most: number): void {
  const open = new HalfOpen(most)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.remove(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (hasBody(request)) request.once('end', () => open.remove(socket))
    else open.remove(socket)
    response.once('close', () => {
      if (!socket.destroyed) open.add(socket)
    })
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Connections by network, oldest first. */
class HalfOpen {
  readonly #most: number
  readonly #networks = new Map<string, Set<Socket>>()
  readonly #networkOf = new WeakMap<Socket, string>()

  constructor(most: number) {
    this.#most = most
  }

  add(socket: Socket): void {
    // A closed connection no longer has an address.
    const network = this.#networkOf.get(socket) ?? networkOf(socket.remoteAddress ?? '')
    this.#networkOf.set(socket, network)
    const sockets = this.#networks.get(network) ?? new Set()
    this.#networks.set(network, sockets.add(socket))
    if (sockets.size <= this.#most) return
    const [oldest] = sockets
    oldest?.destroy()
    if (oldest !== undefined) this.remove(oldest)
  }

  remove(socket: Socket): void {
    const network = this.#networkOf.get(socket) ?? ''
    const sockets = this.#networks.get(network)
    sockets?.delete(socket)
    if (sockets?.size === 0) this.#networks.delete(network)
  }
}
