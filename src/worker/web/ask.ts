import type { IncomingHttpHeaders } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, request } from 'undici'
import { toContentType } from './content-kind.ts'

/** An address that says nothing is given up for the next one; Node's own 250 ms are too short for a far one. */
const addressMs = 2_000

/** What one request was answered. `body` is read of a success alone, and as far as it may be. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Collected | undefined
  readonly address: string | undefined
}

export interface Ask {
  readonly url: URL
  /** Where to connect to, and nowhere else. */
  readonly addresses: readonly string[]
  readonly maxBodyBytes: number
  readonly signal: AbortSignal
  readonly ca?: string | undefined
}

const sent = {
  'user-agent': 'Mozilla/5.0 (compatible; Countersign)',
  accept: 'text/html, application/xhtml+xml, application/json;q=0.9, text/plain;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
}

/** One GET, over a connection that ends with it. Rejects when there is no answer. */
export async function ask({ url, addresses, maxBodyBytes, signal, ca }: Ask): Promise<Answer> {
  await using agent = createPinnedAgent(addresses, ca)
  const { dispatcher } = agent
  const response = await request(url, { dispatcher, signal, headers: sent })
  const headers = single(response.headers)
  const status = response.statusCode
  // What is left of it goes with the agent; its end is no failure of ours.
  response.body.on('error', () => undefined)
  const isRead = status >= 200 && status < 300 && isWorthReading(headers, maxBodyBytes)
  const body = isRead ? await collectBody(response.body, maxBodyBytes) : undefined
  return { status, headers, body, address: agent.connectedTo() }
}

/** What is refused by its headers is not read; of what says nothing of its size the bytes are counted. */
function isWorthReading(headers: Answer['headers'], maxBodyBytes: number): boolean {
  const length = declaredLength(headers)
  if (length === undefined) return true
  return length <= maxBodyBytes && toContentType(headers['content-type']).kind !== 'binary'
}

/** Bytes of the body over the wire, where the server says so. */
export function declaredLength(headers: Answer['headers']): number | undefined {
  const text = headers['content-length'] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Of a header that was sent twice the first is taken. Values come as Latin-1. */
function single(headers: IncomingHttpHeaders): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}

/** A body as it came over the wire, or how many bytes had come when it was too much or broke off. */
type Collected =
  | { readonly kind: 'whole'; readonly bytes: number; readonly body: Buffer }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'broken'; readonly bytes: number; readonly error: unknown }

/** WEB-05: reads no further than `most` bytes. */
async function collectBody(source: AsyncIterable<Buffer>, most: number): Promise<Collected> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > most) return { kind: 'too-large', bytes }
      chunks.push(chunk)
    }
  } catch (error) {
    return { kind: 'broken', bytes, error }
  }
  return { kind: 'whole', bytes, body: Buffer.concat(chunks) }
}

/** Connections of one request. Disposing ends them, whatever they are at. */
interface PinnedAgent extends AsyncDisposable {
  readonly dispatcher: Agent
  /** Where it was connected to, once it was. */
  readonly connectedTo: () => string | undefined
}

/**
 * WEB-03: connects to these addresses and no others, whatever a name resolves to by then; the certificate has to be good
 * for the name. An agent of its own knows no proxy, whatever the environment says, and keeps nothing beyond its request.
 */
function createPinnedAgent(addresses: readonly string[], ca?: string): PinnedAgent {
  const connector = buildConnector({
    lookup: pinnedTo(addresses),
    // Said outright: NODE_TLS_REJECT_UNAUTHORIZED would change what is not.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: 0,
    autoSelectFamilyAttemptTimeout: addressMs,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
  let connected: string | undefined
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connector(options, (error, socket) => {
        connected = socket?.remoteAddress
        if (error === null && socket !== null) callback(null, socket)
        else callback(error ?? new Error('no connection'), null)
      }),
    connections: 1,
    pipelining: 0,
    // Time is kept by the signal of the whole exchange alone.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatcher,
    connectedTo: () => connected,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error('no address is known'), '')
    else if (all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}
