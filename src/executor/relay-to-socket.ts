import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** More than one program opens; the proxy has a limit of its own. */
const mostConnections = 512

/**
 * Listens on `port` of the box's own loopback (0: any that is free) and passes the bytes of each connection to the Unix socket `path`
 * and back, with the end of either side. Returns the port. Rejects if the port is taken.
 */
export async function relayToSocket(path: string, port: number): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    // A program may connect before the proxy listens, which begins once the box has been started.
    tryToPass(client, path, performance.now() + startMs)
  })
  server.on('connection', (client) => client.on('error', () => undefined))
  server.maxConnections = mostConnections
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a socket without a port')
  return address.port
}

/** Milliseconds that the proxy has to begin. */
const startMs = 5_000
const retryMs = 50

function tryToPass(client: Socket, path: string, until: number): void {
  const proxy = connect({ path, allowHalfOpen: true })
  const again = () => {
    if (client.destroyed || performance.now() > until) client.destroy()
    else setTimeout(() => tryToPass(client, path, until), retryMs)
  }
  proxy.once('error', again)
  proxy.once('connect', () => {
    proxy.off('error', again)
    if (client.destroyed) proxy.destroy()
    pass(client, proxy)
    pass(proxy, client)
  })
}

function pass(from: Socket, to: Socket): void {
  from.on('error', () => undefined).pipe(to)
  // What it said last still goes through.
  from.on('close', () => to.destroySoon())
}
