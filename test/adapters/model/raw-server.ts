import { once } from 'node:events'
import { createServer } from 'node:http'

export interface RawServer extends AsyncDisposable {
  readonly url: string
}

/** A server on a free port of 127.0.0.1 that answers everything with these bytes, as a stream of events. */
export async function createRawServer(body: string): Promise<RawServer> {
  const server = createServer((incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
