import { hostname } from 'node:os'
import { type Context, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Observer } from '../../ports/observer.ts'
import { withinMs } from '../../util/abort.ts'
import type { Log } from '../../util/log.ts'
import { type SpanPlan, toSpan } from './to-span.ts'

/** Gives the next span the ids that it was told. A span is begun in one go, so that nobody gets another's. */
class GivenIds implements IdGenerator {
  #traceId = ''
  #spanId = ''

  next(traceId: string, spanId: string): void {
    this.#traceId = traceId
    this.#spanId = spanId
  }

  generateTraceId(): string {
    return this.#traceId
  }

  generateSpanId(): string {
    return this.#spanId
  }
}

export interface TracingOptions {
  /** OTLP over HTTP; `/v1/traces` is added where the address does not end with it. */
  readonly endpoint: string
  /** What each request to it carries beside. The exporter adds what OTEL_* variables say, unless they are hidden from it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Names this process among the others: `service.name` becomes `countersign-<part>`. */
  readonly part: string
  readonly log: Log
}

/** An observer that makes spans. Disposing sends what is left, for 2 s at most. */
export interface Tracing extends AsyncDisposable {
  readonly observer: Observer
}

/** One request to the collector may take less than a stop has for all of it, in milliseconds. */
const requestMs = 1_500
const flushMs = 2_000

/**
 * PROC-05: traces of OpenTelemetry. Their ids are made from those of turns and calls, so that the spans of all processes meet
 * in one trace with nothing carried along. A collector that is away costs the spans, and nothing else.
 */
export function createTracing({ endpoint, headers = {}, part, log }: TracingOptions): Tracing {
  const url = toTracesUrl(endpoint)
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: requestMs })
  const ids = new GivenIds()
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: describe(part),
    spanProcessors: [new BatchSpanProcessor({ exporter: loggedExporter(exporter, log) })],
  })
  const tracer = provider.getTracer('countersign')
  const record = (plan: SpanPlan): void => {
    const { name, kind, attributes } = plan
    const endTime = Date.now()
    ids.next(plan.traceId, plan.spanId)
    const options = { kind, attributes, startTime: endTime - plan.ms }
    const span = tracer.startSpan(name, options, parentOf(plan))
    if (plan.failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
  }
  return {
    observer: {
      record: (event) => {
        const plan = toSpan(event)
        if (plan !== undefined) record(plan)
      },
    },
    [Symbol.asyncDispose]: async () => {
      // What could not be sent was told to the log.
      const ended = provider.shutdown().catch(() => undefined)
      await withinMs(ended, flushMs, undefined)
    },
  }
}

function toTracesUrl(endpoint: string): string {
  return /\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/traces`
}

function describe(part: string): Resource {
  return resourceFromAttributes({
    'service.name': `countersign-${part}`,
    'service.namespace': 'countersign',
    'host.name': hostname(),
    'process.pid': process.pid,
  })
}

function parentOf({ traceId, parentId }: SpanPlan): Context {
  if (parentId === undefined) return ROOT_CONTEXT
  const context = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, context)
}

/** What an exporter says of a batch; 0 is success. */
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

/** Says once that traces get lost, and once that they go again. The address may hold a password: no words of the error. */
function loggedExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false
  const note = ({ code, error }: Result): void => {
    const failed = code !== 0
    if (failed === isAway) return
    isAway = failed
    if (failed) log.warn({ error: nameOf(error) }, 'traces could not be sent; they are dropped')
    else log.info({}, 'traces are sent again')
  }
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        note(result)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && error.code !== undefined ? String(error.code) : error.name
}
