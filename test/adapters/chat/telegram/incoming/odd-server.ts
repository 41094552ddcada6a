import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Api } from 'grammy'

export const oddToken = '7000000001:AAH-secret-secret-secret-secret-secr'

export interface OddServer extends AsyncDisposable {
  readonly api: Api
  /** The API root. */
  readonly url: string
  /** Methods that were called, in order. */
  readonly calls: readonly string[]
}

/** A server that answers every call well and with nonsense: with what `result` makes of the method. */
export async function createOddServer(result: (method: string) => unknown): Promise<OddServer> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    const method = request.url?.split('/').at(-1) ?? ''
    calls.push(method)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, result: result(method) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    api: new Api(oddToken, { apiRoot: url }),
    url,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
