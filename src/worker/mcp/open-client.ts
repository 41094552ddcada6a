import {
  Client,
  type JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { BoxTransport } from './box-transport.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
import type { HttpServerOptions, McpServerOptions, McpSurroundings } from './mcp-options.ts'
import { openBox } from './open-box.ts'

/** Pages of a list that are read. */
const maxPages = 16
/** Milliseconds for a server to answer in the newer protocol; one that does not is taken for an older one. */
const probeMs = 3_000
/** Milliseconds that changes of a list are gathered. */
const gatherMs = 500

/** A connection to a server. */
export interface OpenClient {
  readonly client: Client
  /** Why we ended it; undefined if it has not ended or the server ended it. */
  whyEnded(): string | undefined
}

/**
 * Connects to a server, with whichever of the two eras of the protocol it speaks. `onListChanged` is called when its list of
 * tools may have changed. Rejects if it does not answer within its time limit.
 */
export async function openClient(
  options: McpServerOptions,
  surroundings: McpSurroundings,
  onListChanged: () => void,
  signal: AbortSignal,
): Promise<OpenClient> {
  const client = new Client(
    { name: 'countersign', version: surroundings.version },
    {
      // No sampling and no roots: a server asks no model and sees no files through us.
      capabilities: {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
      listMaxPages: maxPages,
      listChanged: {
        tools: { autoRefresh: false, debounceMs: gatherMs, onChanged: onListChanged },
      },
      jsonSchemaValidator: unchecked,
    },
  )
  const transport = await openTransport(options, surroundings)
  const boxed = transport instanceof BoxTransport ? transport : undefined
  try {
    await client.connect(transport, { timeout: options.timeoutMs, signal })
    return { client, whyEnded: () => boxed?.whyEnded }
  } catch (cause) {
    await transport.close().catch(() => undefined)
    const words = boxed?.lastWords ?? ''
    const why = boxed?.whyEnded ?? reasonOf(cause)
    throw new Error(words === '' ? why : `${why}: ${words}`, { cause })
  }
}

/** The words of an error. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** A schema of a server could be made to cost much, and its own results are its own affair. */
const unchecked = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    }),
}

async function openTransport(
  options: McpServerOptions,
  surroundings: McpSurroundings,
): Promise<Transport> {
  if (options.transport === 'http') return httpTransport(options)
  const server = await openBox(options, surroundings)
  void server.box.exited.then(() => server[Symbol.asyncDispose]())
  return new BoxTransport(server.box, options.timeoutMs)
}

function httpTransport({ url, token }: HttpServerOptions): StreamableHTTPClientTransport {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return new HttpTransport(new URL(url), createGuardedFetch(url), { headers })
}

/** Closes its connections, which the client's own would keep for a while. */
class HttpTransport extends StreamableHTTPClientTransport {
  readonly #connections: GuardedFetch

  constructor(url: URL, connections: GuardedFetch, requestInit: RequestInit) {
    super(url, { fetch: connections.fetch, requestInit })
    this.#connections = connections
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#connections[Symbol.asyncDispose]()
  }
}
