import manifest from '../../../package.json' with { type: 'json' }
import { createPrometheus, type Prometheus } from '../../adapters/telemetry/create-prometheus.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment, withoutVariables } from '../../config/env.ts'
import { parseOtlpHeaders } from '../../config/otlp-headers.ts'
import { externalVariables } from '../../config/outside-names.ts'
import type { Secret } from '../../config/secrets.ts'
import type { Observer, ProductEvent } from '../../ports/observer.ts'
import { allTools } from '../../rules/tools/registry.ts'
import type { Log } from '../../util/log.ts'
import type { ProcessName } from './create-log.ts'

const names: Readonly<Record<string, string>> = {
  conversationId: 'conversation',
  eventId: 'event',
  sessionId: 'session',
  turnId: 'turn',
  callId: 'call',
  approvalId: 'approval',
  outboxId: 'outbox',
}

export interface ObserveOptions {
  readonly config: Config
  readonly log: Log
  readonly process: ProcessName
}

/** Observers of this process. Disposing sends remaining traces for up to 2 s. */
export interface Observation extends AsyncDisposable {
  readonly observer: Observer
  readonly metrics: Prometheus
}

/** PROC-05: creates log lines and metrics, and traces if an endpoint is configured; their SDK is loaded only then. */
export async function observe({ config, log, process }: ObserveOptions): Promise<Observation> {
  const tools = allTools.map(({ name }) => name)
  const build = { version: manifest.version, node: globalThis.process.versions.node, process }
  const metrics = createPrometheus({ tools, withProcess: true, build })
  const heard = [createLogObserver(log), metrics.observer]
  const endpoint = config.logging.otlpEndpoint
  if (endpoint === undefined) {
    const observer = combineObservers(log, ...heard)
    return { observer, metrics, [Symbol.asyncDispose]: async () => undefined }
  }
  warnOfIgnoredVariables(log)
  const { createTracing } = await import('../../adapters/telemetry/create-tracing.ts')
  const headers = headersOf(config.secrets.otlpHeaders)
  const tracing = withoutVariables(prefix, () =>
    createTracing({ endpoint, headers, part: process, log }),
  )
  return {
    observer: combineObservers(log, ...heard, tracing.observer),
    metrics,
    [Symbol.asyncDispose]: () => tracing[Symbol.asyncDispose](),
  }
}

/** Prefix of OpenTelemetry's own variables. */
const prefix = 'OTEL_'

/** Warns about such variables, since they are not used. */
function warnOfIgnoredVariables(log: Log): void {
  const { name } = externalVariables.otlpHeaders
  const variables = readEnvironment()
    .names()
    .filter((set) => set.startsWith(prefix) && set !== name && set !== `${name}_FILE`)
    .toSorted()
  if (variables.length > 0) log.warn({ variables }, 'OpenTelemetry variables are ignored')
}

/** Parses headers that were validated with the configuration. */
function headersOf(given: Secret | undefined): Readonly<Record<string, string>> {
  const parsed = given && parseOtlpHeaders(given.reveal())
  return parsed?.kind === 'headers' ? parsed.headers : {}
}

/** Combines observers. An observer that throws is logged and does not affect the work. */
export function combineObservers(log: Log, ...observers: readonly Observer[]): Observer {
  return {
    record: (event) => {
      for (const observer of observers) {
        try {
          observer.record(event)
        } catch (error) {
          log.warn({ err: error, kind: event.kind }, 'an observer failed')
        }
      }
    },
  }
}

/**
 * Writes one line for each event. Ids have the same names in all processes (`conversation`, `event`, `turn`, `call`,
 * `approval`), so that a search finds everything about one.
 */
export function createLogObserver(log: Log): Observer {
  return {
    record: (event) => {
      const { kind, ...fields } = event
      const level = kind === 'tool_anomaly' ? 'warn' : 'info'
      log[level](renamed(fields), kind.replaceAll('_', ' '))
    },
  }
}

function renamed(fields: Omit<ProductEvent, 'kind'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [names[name] ?? name, shortened(value)]),
  )
}

/** Rounds numbers to 12 digits. */
function shortened(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value
}
