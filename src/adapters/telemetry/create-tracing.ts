import { hostname } from 'node:os'
import { type Context, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Observer } from '../../ports/observer.ts'
import type { Log } from '../../util/log.ts'
import { withinMs } from '../../util/within-ms.ts'
import { GivenIds } from './given-ids.ts'
import { loggedExporter } from './logged-exporter.ts'
import { type SpanPlan, toSpan } from './to-span.ts'

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
      told: (event) => {
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
