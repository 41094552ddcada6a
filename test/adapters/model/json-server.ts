import { once } from 'node:events'
import { createServer } from 'node:http'
import { text as readText } from 'node:stream/consumers'

export interface JsonRequest {
  readonly path: string
  readonly authorization: string | undefined
  /** As Anthropic takes a key. */
  readonly key: string | string[] | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of several protocols
  readonly body: any
}

export interface JsonAnswer {
  readonly status?: number
  /** Not JSON where it is a string. */
  readonly body?: unknown
}

export interface JsonServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly JsonRequest[]
}

/** An HTTP server on a free port of 127.0.0.1 that answers each request by a function of it; undefined: 404. */
export async function createJsonServer(
  answer: (request: JsonRequest) => JsonAnswer | undefined | Promise<JsonAnswer | undefined>,
): Promise<JsonServer> {
  const requests: JsonRequest[] = []
  const server = createServer(async (incoming, response) => {
    const request = {
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      key: incoming.headers['x-api-key'],
      body: JSON.parse((await readText(incoming)) || 'null'),
    }
    requests.push(request)
    const { status = 200, body = {} } = (await answer(request)) ?? { status: 404 }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
