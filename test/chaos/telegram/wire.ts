import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line to a server of a socket's path, that a test can cut. */
export interface Wire extends AsyncDisposable {
  readonly port: number
  /** Ends every connection; from now on none is taken. */
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function createWire(path: string): Promise<Wire> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(path)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const cut = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  return { port, cut, mend: async () => void (await listen(port)), [Symbol.asyncDispose]: cut }
}
