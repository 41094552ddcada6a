import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type App, HTTPReceiver } from '@slack/bolt'
import { silentLogger } from '../silent-logger.ts'
import type { ReceiveOptions } from './receive-options.ts'

export interface HttpOptions extends ReceiveOptions {
  readonly signingSecret: string
  /** 0: any that is free. */
  readonly port: number
  /** Told where it listens. */
  readonly onListening?: (port: number) => void
}

/** Where Slack calls with events, taps, forms and slash commands. */
const slackPath = '/slack/events'
const requestMs = 10_000
/** As long as a call in hand may take. */
const lastCallMs = 3_000

/**
 * SLACK-01: takes in what Slack calls with until told to end. Bolt checks each signature over the very bytes, at most five
 * minutes old, before anything is read; what is not stored is answered 503, so that Slack calls again.
 */
export async function receiveByHttp(options: HttpOptions): Promise<void> {
  const { signal, port, onReceiving, onListening } = options
  const server = createServer(createListener(options))
  server.requestTimeout = requestMs
  server.headersTimeout = requestMs
  server.listen(port)
  await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address !== null) onListening?.(address.port)
  onReceiving()
  if (!signal.aborted) await once(signal, 'abort')
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // Of connections that brought no whole request yet, none is idle.
  const last = setTimeout(() => server.closeAllConnections(), lastCallMs)
  await closed
  clearTimeout(last)
}

function createListener({ signingSecret, take }: HttpOptions) {
  const receiver = new HTTPReceiver({
    signingSecret,
    endpoints: [slackPath],
    logger: silentLogger,
    unhandledRequestHandler: () => undefined,
    processEventErrorHandler: async ({ response }) => {
      response.writeHead(503).end()
      return false
    },
  })
  const app: Pick<App, 'processEvent'> = {
    processEvent: async ({ body, retryNum, ack }) => {
      const taken = await take({ body, retryNum })
      if (taken.kind === 'kept') throw new Error('not stored')
      await ack()
    },
  }
  receiver.init(app as App)
  return (request: IncomingMessage, response: ServerResponse): void => {
    try {
      receiver.requestListener(request, response)
    } catch {
      // Bolt's way to say that it is not for Slack.
      response.writeHead(404).end()
    }
  }
}
