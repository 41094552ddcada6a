import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import {
  connect as connectTo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { EgressHooksForTests } from '../../../src/adapters/egress/egress-settings.ts'
import { openEgressProxy } from '../../../src/adapters/egress/open-egress-proxy.ts'
import type { EgressEvent, EgressOptions, EgressProxy } from '../../../src/ports/egress.ts'
import { type Certificates, createCertificates } from '../../support/web/create-certificates.ts'
import { createNameServer, type NameServer } from '../../support/web/name-server.ts'

export const site = 'site.example'
export const other = 'other.example'

let made: Promise<Certificates> | undefined

/** Hosts on this machine, and a proxy to them. */
export interface EgressPlace extends AsyncDisposable {
  readonly dir: string
  readonly socket: string
  readonly names: NameServer
  readonly events: EgressEvent[]
  readonly certificates: Certificates
  readonly hooksForTests: EgressHooksForTests
  /** Waits for this many events, and returns them all. */
  seen(count: number): Promise<readonly EgressEvent[]>
  /** Starts a host, which ends with the place; returns its port and its connections. */
  host(serve: (socket: Socket) => void, options?: HalfOpen): Promise<Host>
  tlsHost(serve: (socket: TLSSocket) => void): Promise<Host>
  httpHost(serve: RequestListener): Promise<Host>
  /** Opens the proxy with a list that may name the ports of hosts; once a place. */
  open(hosts: readonly string[], more?: Partial<EgressOptions>): Promise<EgressProxy>
  /** Ends the proxy. */
  close(): Promise<void>
  /** Connects to the proxy. */
  dial(options?: HalfOpen): Promise<Socket>
  /** Sends a CONNECT; `answer` is what came back, up to the head's end. */
  connect(authority: string, options?: HalfOpen): Promise<Answered>
  /** The same, then TLS with this server name. */
  secure(authority: string, servername?: string): Promise<TLSSocket>
}

/** Whether a side goes on once the other has ended; by default it does not. */
export interface HalfOpen {
  readonly allowHalfOpen: boolean
}

export interface Host {
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
}

export interface Answered {
  readonly socket: Socket
  readonly status: number
  /** The text of an answer that refuses; empty for 200. */
  readonly text: string
}

export async function createEgressPlace(): Promise<EgressPlace> {
  made ??= createCertificates([site, other])
  const certificates = await made
  await using undo = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'egress-'))
  undo.defer(() => rm(dir, { recursive: true }))
  const names = undo.use(await createNameServer())
  for (const name of [site, other]) names.names.set(name, () => ({ a: ['127.0.0.1'] }))
  const events: EgressEvent[] = []
  const hooksForTests: EgressHooksForTests = {
    nameServers: [names.address],
    mayReach: (address) => address === '127.0.0.1',
  }
  const stack = undo.move()
  let socket = ''
  let proxy: EgressProxy | undefined
  const close = async () => {
    const ended = proxy
    proxy = undefined
    await ended?.[Symbol.asyncDispose]()
  }

  const start = async (server: Server): Promise<Host> => {
    const sockets = new Set<Socket>()
    server.on('connection', (client: Socket) => {
      sockets.add(client)
      client.on('error', () => undefined).on('close', () => sockets.delete(client))
    })
    server.on('tlsClientError', () => undefined)
    server.on('secureConnection', (client: TLSSocket) => client.on('error', () => undefined))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stack.defer(async () => {
      for (const client of sockets) client.destroy()
      server.close()
      await once(server, 'close')
    })
    const address = server.address()
    return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, sockets }
  }
  const dial = async (halfOpen?: HalfOpen): Promise<Socket> => {
    const client = connectTo({ path: socket, ...halfOpen })
    await once(client, 'connect')
    client.on('error', () => undefined)
    stack.defer(() => {
      client.destroy()
    })
    return client
  }
  const connect = async (authority: string, halfOpen?: HalfOpen): Promise<Answered> => {
    const client = await dial(halfOpen)
    client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
    return readAnswer(client)
  }
  return {
    dir,
    get socket() {
      return socket
    },
    names,
    events,
    certificates,
    hooksForTests,
    seen: async (count) => {
      for (let tries = 0; events.length < count && tries < 500; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 20))
      if (events.length < count) throw new Error(`only ${events.length} of ${count} events came`)
      return events
    },
    host: (serve, halfOpen = { allowHalfOpen: false }) => start(createTcpServer(halfOpen, serve)),
    tlsHost: (serve) =>
      start(createTlsServer({ cert: certificates.cert, key: certificates.key }, serve)),
    httpHost: (serve) => start(createHttpServer(serve)),
    open: async (hosts, more = {}) => {
      const observe = (event: EgressEvent) => events.push(event)
      const options = { directory: join(dir, 'proxy'), hosts, observe, ...more }
      proxy = await openEgressProxy(options, hooksForTests)
      socket = proxy.socket
      stack.defer(close)
      return proxy
    },
    close,
    dial,
    connect,
    secure: async (authority, servername = authority.replace(/:\d+$/, '')) => {
      const answered = await connect(authority)
      if (answered.status !== 200) throw new Error(`${answered.status}: ${answered.text}`)
      const secure = connectTls({ socket: answered.socket, servername, ca: certificates.ca })
      secure.on('error', () => undefined)
      await once(secure, 'secureConnect')
      return secure
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Reads an answer of the proxy: the whole text if it refuses, else only its head. */
export async function readAnswer(socket: Socket): Promise<Answered> {
  let head = ''
  while (!head.includes('\r\n\r\n')) {
    const [chunk]: readonly unknown[] = await once(socket, 'data')
    head += String(chunk)
  }
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  if (status === 200) {
    socket.pause()
    return { socket, status, text: '' }
  }
  return { socket, status, text: head.slice(head.indexOf('\r\n\r\n') + 4) + (await text(socket)) }
}
