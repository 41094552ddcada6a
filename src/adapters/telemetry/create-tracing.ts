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

/** Gives the next span the ids that were set. A span is created synchronously, so ids cannot be mixed up. */
class PresetIdGenerator implements IdGenerator {
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
  /** OTLP over HTTP; `/v1/traces` is added if the address does not end with it. */
  readonly endpoint: string
  /** Additional request headers. The exporter also reads OTEL_* variables unless they are hidden from it. */
  readonly headers?: Readonly<Record<string, string>>
  /** Names this process: `service.name` becomes `countersign-<part>`. */
  readonly part: string
  readonly log: Log
}

/** An observer that creates spans. Disposing flushes the rest, for 2 s at most. */
export interface Tracing extends AsyncDisposable {
  readonly observer: Observer
}

/** Time limit for one request to the collector; shorter than the limit for a whole flush. In milliseconds. */
const requestMs = 1_500
const flushMs = 2_000

/**
 * PROC-05: OpenTelemetry traces. Ids are derived from those of turns and calls, so that the spans of all processes join one trace
 * without passing a context. If the collector is unreachable, spans are lost and nothing else.
 */
export function createTracing({ endpoint, headers = {}, part, log }: TracingOptions): Tracing {
  const url = toTracesUrl(endpoint)
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: requestMs })
  const ids = new PresetIdGenerator()
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
      // Failed exports were already logged.
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

/** An exporter's result for a batch; 0 is success. */
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

/**
 * Logs once when traces start to get lost, and once when they are sent again. The error's message is left out: the address may
 * hold a password.
 */
function loggedExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false
  const note = ({ code, error }: Result): void => {
    const failed = code !== 0
    if (failed === isAway) return
    isAway = failed
    if (failed) log.warn({ error: nameOf(error) }, 'failed to send traces; they were dropped')
    else log.info({}, 'traces can be sent again')
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
