import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.number() }),
  z.strictObject({ doubleValue: z.number() }),
])
const attributes = z.array(z.strictObject({ key: z.string(), value }))

const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.number() }),
})

/** What a collector takes over OTLP/HTTP with JSON. */
const body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
})

/** A span as it arrived, with the service that sent it. */
export interface ReceivedSpan {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly ms: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

/** A collector of traces that refuses what does not follow the protocol, and keeps the rest. */
export interface Collector extends AsyncDisposable {
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  /** Paths that were asked for. */
  readonly paths: readonly string[]
  /** Headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[]
  /** What it answers from now on; `hangs`: nothing at all. */
  behave(as: Behaviour): void
}

type Behaviour = 200 | 401 | 503 | 'hangs'

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const paths: string[] = []
  const headers: IncomingHttpHeaders[] = []
  let behaviour: Behaviour = 200
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '')
    headers.push(request.headers)
    // Who is refused may hang up before all is said.
    const taken = await read(request).catch(() => undefined)
    if (behaviour === 'hangs') return
    const status = taken === undefined ? 400 : behaviour
    if (status === 200) spans.push(...(taken ?? []))
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    headers,
    behave: (as) => {
      behaviour = as
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function read(request: IncomingMessage): Promise<readonly ReceivedSpan[] | undefined> {
  const parsed = body.safeParse(JSON.parse(await text(request)))
  return parsed.data?.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toRecord(resource.attributes)['service.name'])
    return scopeSpans.flatMap((scope) => scope.spans.map((one) => toReceived(service, one)))
  })
}

function toReceived(service: string, one: z.infer<typeof span>): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, status } = one
  const nanoseconds = BigInt(one.endTimeUnixNano) - BigInt(one.startTimeUnixNano)
  return {
    service,
    traceId,
    spanId,
    parentSpanId,
    name,
    ms: Number(nanoseconds) / 1e6,
    failed: status.code === 2,
    attributes: toRecord(one.attributes),
  }
}

function toRecord(list: z.infer<typeof attributes>): Record<string, string | number> {
  return Object.fromEntries(list.map(({ key, value: held }) => [key, Object.values(held)[0] ?? '']))
}
