import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 on which nobody listens, for a program that is told where to. Below those that Linux gives to
 * connections and listeners that want any: until the program listens, none of them takes it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      // Somebody listens there.
      continue
    }
    const closed = once(server, 'close')
    server.close()
    await closed
    return port
  }
}
