import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { HTTPModuleFunctions, isRawBodyError } from '@slack/bolt'
import { z } from 'zod'
import { limitHalfOpen } from '../../../../util/limit-half-open.ts'
import { silentLogger } from '../api.ts'
import type { ReceiveOptions } from './receive-options.ts'

/** More than Slack sends, in bytes. */
const bodyLimit = 4 * 1024 * 1024

const jsonObject = z.record(z.string(), z.unknown())

export interface HttpOptions extends ReceiveOptions {
  readonly signingSecret: string
  /** 0 for any free port. */
  readonly port: number
  /** Called with the port. */
  readonly onListening?: (port: number) => void
}

/** Path of Slack's requests: events, interactions and slash commands. */
const slackPath = '/slack/events'
const types: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-www-form-urlencoded',
])
const verification = z.object({ challenge: z.string().max(1_000) })
const requestMs = 10_000
const checkIntervalMs = 1_000
/** Slack sends a few requests at a time; connections beyond this are dropped. */
const maxConnections = 100
/** Maximum connections without a complete request per network, so that no network can block Slack. */
const maxHalfOpen = 50
/** Maximum time for requests in progress at shutdown. */
const shutdownMs = 3_000

/**
 * Receives Slack's requests over HTTP until the signal aborts (SLACK-01). The signature is verified over the raw bytes before
 * anything is parsed. Payloads that cannot be stored are answered with 503, so that Slack retries.
 */
export async function receiveByHttp(options: HttpOptions): Promise<void> {
  const { signal, port, onReceiving, onListening } = options
  const server = createServer(
    { connectionsCheckingInterval: checkIntervalMs },
    createListener(options),
  )
  server.maxConnections = maxConnections
  limitHalfOpen(server, maxHalfOpen)
  server.requestTimeout = requestMs
  server.headersTimeout = requestMs
  server.listen(port)
  await once(server, 'listening')
  // Errors in accepting a connection, for example for lack of file descriptors, do not stop the server.
  server.on('error', (error) => options.log.error({ err: error }, 'slack: HTTP server error'))
  const address = server.address()
  if (typeof address === 'object' && address !== null) onListening?.(address.port)
  onReceiving()
  if (!signal.aborted) await once(signal, 'abort')
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // Connections without a complete request are not idle, so they must be closed.
  const last = setTimeout(() => server.closeAllConnections(), shutdownMs)
  await closed
  clearTimeout(last)
}

/** HTTP status of a reply, and a body if Slack expects one. */
interface Reply {
  readonly status: number
  readonly json?: unknown
}

function createListener(options: HttpOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const replying = replyTo(options, request).catch((): Reply => ({ status: 503 }))
    void replying.then(({ status, json }) => {
      const type = json === undefined ? {} : { 'content-type': 'application/json' }
      // Do not wait for the rest of a request that was refused.
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
    const challenge = verification.safeParse(body)
    return challenge.success ? { status: 200, json: challenge.data } : { status: 400 }
  }
  const taken = await options.take({ body, retryNum: retryNumOf(request) })
  return { status: taken.kind === 'kept' ? 503 : 200 }
}

function retryNumOf(request: IncomingMessage): number | undefined {
  const count = HTTPModuleFunctions.extractRetryNumFromHTTPRequest(request)
  return Number.isSafeInteger(count) ? count : undefined
}

/** An authentic request, or the status with which to refuse it. */
type ReadCall =
  | { readonly kind: 'read'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number }

/**
 * Reads a request after Bolt has verified its signature, at most five minutes old, over the raw bytes: 401 if it is not from
 * Slack, 413 if it is too long, 400 if it cannot be parsed. Bolt accepts an unsigned `ssl_check` and removes everything else
 * from it.
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
    return { kind: 'read', body: jsonObject.parse(read()) }
  } catch {
    return { kind: 'refused', status: 400 }
  }
}
