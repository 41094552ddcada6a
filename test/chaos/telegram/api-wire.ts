import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A getUpdates of one product, in milliseconds of `performance.now()`. */
export interface Poll {
  readonly from: number
  /** Undefined: it is under way. */
  to: number | undefined
  /** Of the answer; undefined: there was none. */
  status: number | undefined
}

/** One product's way to Telegram's stand-in, so that it is known which of several asks. */
export interface ApiWire extends AsyncDisposable {
  /** The apiRoot for that product. */
  readonly url: string
  readonly polls: readonly Poll[]
}

export async function createApiWire(target: string): Promise<ApiWire> {
  const polls: Poll[] = []
  const server = createServer((incoming, response) => {
    const poll: Poll = { from: performance.now(), to: undefined, status: undefined }
    if (incoming.url?.endsWith('/getUpdates') === true) polls.push(poll)
    const end = (): void => {
      poll.to ??= performance.now()
    }
    // The end of the line comes a turn of the loop before its close, by when another may ask already.
    incoming.socket.once('end', end)
    response.on('close', () => {
      incoming.socket.off('end', end)
      end()
    })
    forward(target, incoming, response, poll)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    polls,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function forward(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  poll: Poll,
): void {
  const url = new URL(incoming.url ?? '/', target)
  const headers = { ...incoming.headers, connection: 'close' }
  const outgoing = request(url, { method: incoming.method ?? 'GET', headers, agent: false })
  outgoing.on('response', (answer) => {
    poll.status = answer.statusCode
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  // Whoever asked went away: so does the question.
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
