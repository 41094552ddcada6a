import type { IncomingHttpHeaders } from 'node:http'
import { Agent, buildConnector, request } from 'undici'
import { addressAttemptMs, pinnedTo } from '../../util/look-up-host.ts'

const textTypes =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|json5|jsonl|ndjson|x-ndjson|json-seq|javascript|x-javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-httpd-php|x-www-form-urlencoded|rtf|x-tex|x-latex))$/

/** Response to one request. `body` is read only on success, up to the limit. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Collected | undefined
  readonly address: string | undefined
}

interface Ask {
  readonly url: URL
  /** Addresses that may be connected to. */
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

/** Sends one GET over a connection of its own. Rejects if there is no response. */
export async function ask({ url, addresses, maxBodyBytes, signal, ca }: Ask): Promise<Answer> {
  await using agent = createPinnedAgent(addresses, ca)
  const { dispatcher } = agent
  const response = await request(url, { dispatcher, signal, headers: sent })
  const headers = single(response.headers)
  const status = response.statusCode
  // The rest of the body is discarded with the agent.
  response.body.on('error', () => undefined)
  const isRead = status >= 200 && status < 300 && isWorthReading(headers, maxBodyBytes)
  const body = isRead ? await collectBody(response.body, maxBodyBytes) : undefined
  return { status, headers, body, address: agent.connectedTo() }
}

/** Skips bodies that are refused by their headers; if those state no size, the bytes are counted. */
function isWorthReading(headers: Answer['headers'], maxBodyBytes: number): boolean {
  const length = declaredLength(headers)
  if (length === undefined) return true
  return length <= maxBodyBytes && toContentType(headers['content-type']).kind !== 'binary'
}

/** Returns the length of the body on the wire if the server states it. */
export function declaredLength(headers: Answer['headers']): number | undefined {
  const text = headers['content-length'] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Takes the first value of a repeated header. Values are decoded as Latin-1. */
function single(headers: IncomingHttpHeaders): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}

/** Body as transferred, or the number of bytes at which it became too large or broke off. */
type Collected =
  | { readonly kind: 'whole'; readonly bytes: number; readonly body: Buffer }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'broken'; readonly bytes: number; readonly error: unknown }

/** WEB-05: reads at most `most` bytes. */
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

/** Connections of one request. Disposing ends them in any state. */
interface PinnedAgent extends AsyncDisposable {
  readonly dispatcher: Agent
  /** Returns the connected address, once there is one. */
  readonly connectedTo: () => string | undefined
}

/**
 * WEB-03: creates an agent that connects only to these addresses, whatever the name resolves to later; the certificate
 * must be valid for the name. It uses no proxy of the environment and keeps nothing after its request.
 */
function createPinnedAgent(addresses: readonly string[], ca?: string): PinnedAgent {
  const connector = buildConnector({
    lookup: pinnedTo(addresses),
    // Set explicitly, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: 0,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
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
    // Only the signal of the whole exchange limits the time.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatcher,
    connectedTo: () => connected,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

/** Kind of content by media type; `unknown` if the type is unspecific and the bytes must decide. */
export type ContentKind = 'html' | 'xml' | 'text' | 'binary' | 'unknown'

export interface ContentType {
  readonly kind: ContentKind
  /** Media type in lower case, without parameters, shortened for messages. */
  readonly type: string
  readonly charset: string | undefined
}

/** Parses a `Content-Type` (RFC 9110, 8.3); never throws. */
export function toContentType(header: string | undefined): ContentType {
  const [first = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const type = first
    .trim()
    .replaceAll(/[^\w!#$&^.+/-]/g, '')
    .slice(0, 100)
  return { kind: kindOf(type), type, charset: charsetOf(parameters) }
}

function kindOf(type: string): ContentKind {
  if (type === '' || type === 'unknown/unknown' || type === '*/*') return 'unknown'
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (/^(?:text|application)\/xml$|\+xml$/.test(type)) return 'xml'
  return textTypes.test(type) ? 'text' : 'binary'
}

function charsetOf(parameters: readonly string[]): string | undefined {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim() === 'charset') return value.trim().replaceAll(/^["']|["']$/g, '') || undefined
  }
  return undefined
}
