import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { isRecord } from '../params.ts'
import type { AckOutcome, Delivery, Transport } from './transport.ts'

/** https://docs.slack.dev/apis/events-api/using-socket-mode: up to 10 at a time. */
const mostConnections = 10

interface Waiting {
  readonly connection: Connection
  answer(outcome: AckOutcome): void
}

/** One WebSocket of the app. */
export interface Connection {
  readonly number: number
  readonly socket: WebSocket
  /** Told to go: it gets nothing new. */
  leaving: boolean
}

export interface StrayAck {
  readonly envelopeId: string
  readonly body: unknown
}

/** The platform's side of Socket Mode. */
export class SocketMode implements Transport {
  /** Acknowledgements of nothing that waits: late ones, and second ones. */
  readonly strayAcks: StrayAck[] = []
  readonly #server = new WebSocketServer({ noServer: true })
  readonly #tickets = new Set<string>()
  readonly #connections: Connection[] = []
  readonly #waiting = new Map<string, Waiting>()
  readonly #appId: string
  readonly #changed: () => void
  #opened = 0
  #next = 0

  constructor(appId: string, changed: () => void) {
    this.#appId = appId
    this.#changed = changed
  }

  get connections(): readonly Connection[] {
    return this.#connections
  }

  /** How many there ever were. */
  get opened(): number {
    return this.#opened
  }

  /** The path and query of apps.connections.open; each opens one connection. */
  ticket(): string {
    const ticket = randomUUID()
    this.#tickets.add(ticket)
    return `/link/?ticket=${ticket}&app_id=${this.#appId}`
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const known = this.#tickets.delete(url.searchParams.get('ticket') ?? '')
    if (url.pathname !== '/link/' || !known) {
      stream.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n')
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => this.#welcome(socket))
  }

  async send(delivery: Delivery, timeoutMs: number): Promise<AckOutcome> {
    const open = this.#connections.filter(({ leaving }) => !leaving)
    const connection = open[this.#next++ % Math.max(1, open.length)]
    if (connection === undefined) return { kind: 'failed', reason: 'no connection' }
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<AckOutcome>()
    this.#waiting.set(id, { connection, answer: resolve })
    const timer = setTimeout(() => resolve({ kind: 'failed', reason: 'timeout' }), timeoutMs)
    timer.unref()
    connection.socket.send(JSON.stringify(envelope(id, delivery)))
    const outcome = await promise
    clearTimeout(timer)
    this.#waiting.delete(id)
    return outcome
  }

  /** Tells the app to connect anew; `warning` comes about ten seconds ahead of the end. */
  ask(reason: 'warning' | 'refresh_requested' | 'link_disabled', number?: number): void {
    for (const connection of this.#some(number)) {
      const debug = { host: 'applink-stand-in' }
      connection.leaving = reason !== 'warning'
      connection.socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: debug }))
    }
  }

  /** The link breaks without a word. */
  drop(number?: number): void {
    for (const { socket } of this.#some(number)) socket.terminate()
  }

  close(): void {
    this.drop()
    this.#server.close()
    for (const { answer } of this.#waiting.values()) answer({ kind: 'failed', reason: 'closed' })
  }

  #some(number: number | undefined): Connection[] {
    return this.#connections.filter((each) => number === undefined || each.number === number)
  }

  #welcome(socket: WebSocket): void {
    if (this.#connections.length >= mostConnections) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }))
      socket.close()
      return
    }
    const connection: Connection = { number: ++this.#opened, socket, leaving: false }
    this.#connections.push(connection)
    const heartbeat = setInterval(() => socket.ping(), 10_000)
    heartbeat.unref()
    socket.on('message', (data) => this.#hear(String(data)))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearInterval(heartbeat)
      this.#connections.splice(this.#connections.indexOf(connection), 1)
      this.#changed()
    })
    socket.send(JSON.stringify(hello(this.#appId, this.#connections.length)))
    this.#changed()
  }

  #hear(text: string): void {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    if (!isRecord(message) || typeof message['envelope_id'] !== 'string') return
    const envelopeId = message['envelope_id']
    const waiting = this.#waiting.get(envelopeId)
    const body = message['payload']
    if (waiting === undefined) this.strayAcks.push({ envelopeId, body })
    else waiting.answer({ kind: 'acked', body })
    this.#waiting.delete(envelopeId)
    this.#changed()
  }
}

function hello(appId: string, connections: number): Record<string, unknown> {
  return {
    type: 'hello',
    num_connections: connections,
    debug_info: { host: 'applink-stand-in', build_number: 1, approximate_connection_time: 18_060 },
    connection_info: { app_id: appId },
  }
}

function envelope(id: string, delivery: Delivery): Record<string, unknown> {
  const { kind, payload, acceptsResponse, retry } = delivery
  return {
    envelope_id: id,
    payload,
    type: kind,
    accepts_response_payload: acceptsResponse,
    ...(kind === 'events_api' && {
      retry_attempt: retry?.attempt ?? 0,
      retry_reason: retry?.reason ?? '',
    }),
  }
}
