import { once } from 'node:events'
import { createServer } from 'node:net'

/** Answers OK to everything, and with a given text to INFO. Speaks as much RESP as a handshake needs. */
export async function startOldRedis(
  info: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const [, name] of text.matchAll(/\*\d+\r\n\$\d+\r\n([a-z]+)\r\n/gi)) {
        const isInfo = name?.toLowerCase() === 'info'
        socket.write(isInfo ? `$${Buffer.byteLength(info)}\r\n${info}\r\n` : '+OK\r\n')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `redis://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
