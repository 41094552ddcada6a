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
    const proxy = connect({ path, allowHalfOpen: true })
    pass(client, proxy)
    pass(proxy, client)
  })
  server.maxConnections = mostConnections
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a socket without a port')
  return address.port
}

function pass(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => undefined)
  // What it said last still goes through.
  from.on('close', () => to.destroySoon())
}
