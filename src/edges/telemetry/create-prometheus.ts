import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Observer } from '../../ports/observer.ts'
import { shareInFlight } from '../../util/share-in-flight.ts'
import { countEvent } from './count-event.ts'
import { createMeters } from './create-meters.ts'
import { type Watched, watchGauge } from './watch-gauge.ts'

/** PROC-05: what this process counted, and what is read when somebody asks, in Prometheus' text format. */
export interface Prometheus {
  readonly observer: Observer
  readonly contentType: string
  /** All metrics as they are now. A gauge that cannot be read within 2 s is left out. */
  text(): Promise<string>
  /** Adds a gauge to what `text` gives. */
  gauge(watched: Watched): void
}

export interface PrometheusOptions {
  /** Names of tools that may be the value of a label; any other tool is `other`. */
  readonly tools: readonly string[]
  /** Whether memory, processor and event loop of the process are in it. */
  readonly withProcess?: boolean
}

/** Metrics of their own: several may live in one process. */
export function createPrometheus({ tools, withProcess = false }: PrometheusOptions): Prometheus {
  const register = new Registry()
  if (withProcess) collectDefaultMetrics({ register })
  const meters = createMeters(register)
  const known = new Set(tools)
  const toLabel = (tool: string): string => (known.has(tool) ? tool : 'other')
  return {
    observer: { told: (event) => countEvent(meters, toLabel, event) },
    contentType: register.contentType,
    text: shareInFlight(() => register.metrics()),
    gauge: (watched) => watchGauge(register, meters.gaugeFailures, watched),
  }
}
