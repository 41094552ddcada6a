import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { HTTPModuleFunctions, isRawBodyError } from '@slack/bolt'
import { z } from 'zod'
import { limitHalfOpen } from '../../../../util/limit-half-open.ts'
import { silentLogger } from '../silent-logger.ts'
import type { ReceiveOptions } from './receive-options.ts'

/** More than Slack sends. */
const bodyLimit = 4 * 1024 * 1024

const anObject = z.record(z.string(), z.unknown())

export interface HttpOptions extends ReceiveOptions {
  readonly signingSecret: string
  /** 0: any that is free. */
  readonly port: number
  /** Told where it listens. */
  readonly onListening?: (port: number) => void
}

/** Where Slack calls with events, taps, forms and slash commands. */
const slackPath = '/slack/events'
const types: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-www-form-urlencoded',
])
const verification = z.object({ challenge: z.string().max(1_000) })
const requestMs = 10_000
const lookEveryMs = 1_000
/** Slack calls with a few at a time; what is beyond waits for nobody. */
const mostConnections = 100
/** Of one network: so none keeps Slack out with connections over which no whole call comes. */
const mostHalfOpen = 50
/** As long as a call in hand may take. */
const lastCallMs = 3_000

/**
 * SLACK-01: takes in what Slack calls with until told to end. Each signature is checked over the very bytes, before anything is
 * read; what is not stored is answered 503, so that Slack calls again.
 */
export async function receiveByHttp(options: HttpOptions): Promise<void> {
  const { signal, port, onReceiving, onListening } = options
  const server = createServer({ connectionsCheckingInterval: lookEveryMs }, createListener(options))
  server.maxConnections = mostConnections
  limitHalfOpen(server, mostHalfOpen)
  server.requestTimeout = requestMs
  server.headersTimeout = requestMs
  server.listen(port)
  await once(server, 'listening')
  // A connection that could not be accepted, for want of file descriptors perhaps, ends nothing.
  server.on('error', (error) => options.log.error({ err: error }, 'slack: HTTP server error'))
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

/** What a call is answered: a status, with words where Slack asks for some. */
interface Reply {
  readonly status: number
  readonly json?: unknown
}

function createListener(options: HttpOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const replying = replyTo(options, request).catch((): Reply => ({ status: 503 }))
    void replying.then(({ status, json }) => {
      const type = json === undefined ? {} : { 'content-type': 'application/json' }
      // The rest of what was refused unread need not come.
      const last = request.complete ? {} : { connection: 'close' }
      response.writeHead(status, { ...type, ...last })
      response.end(json === undefined ? undefined : JSON.stringify(json))
    })
  }
}

async function replyTo(options: HttpOptions, request: IncomingMessage): Promise<Reply> {
  const [path] = (request.url ?? '').split('?', 1)
  if (request.method !== 'POST' || path !== slackPath) return { status: 404 }
  if (!types.has(request.headers['content-type']?.split(';', 1)[0]?.trim() ?? ''))
    return { status: 415 }
  const read = await readCall(request, options.signingSecret)
  if (read.kind === 'refused') return { status: read.status }
  const { body } = read
  if (body['ssl_check'] === '1') return { status: 200 }
  if (body['type'] === 'url_verification') {
    const asked = verification.safeParse(body)
    return asked.success ? { status: 200, json: asked.data } : { status: 400 }
  }
  const taken = await options.take({ body, retryNum: retryNumOf(request) })
  return { status: taken.kind === 'kept' ? 503 : 200 }
}

function retryNumOf(request: IncomingMessage): number | undefined {
  const count = HTTPModuleFunctions.extractRetryNumFromHTTPRequest(request)
  return Number.isSafeInteger(count) ? count : undefined
}

/** A call that is Slack's, or the status that it is refused with. */
type ReadCall =
  | { readonly kind: 'read'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number }

/**
 * Reads a call once Bolt has checked its signature, at most five minutes old, over the very bytes: 401 where it is not
 * Slack's, 413 where it is too long, 400 where it says nothing that can be read. Unsigned, Slack only asks whether TLS works
 * (`ssl_check`), of which Bolt leaves nothing else.
 */
async function readCall(request: IncomingMessage, signingSecret: string): Promise<ReadCall> {
  try {
    const options = { signingSecret, bodyLimit, logger: silentLogger }
    const buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request)
    return parse(() => HTTPModuleFunctions.parseHTTPRequestBody(buffered))
  } catch (error) {
    return { kind: 'refused', status: isRawBodyError(error) ? error.statusCode : 401 }
  }
}

function parse(read: () => unknown): ReadCall {
  try {
    return { kind: 'read', body: anObject.parse(read()) }
  } catch {
    return { kind: 'refused', status: 400 }
  }
}
