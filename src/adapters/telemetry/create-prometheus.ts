import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
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
  /** The values of `build_info`, such as the version; absent: there is none. */
  readonly build?: Readonly<Record<string, string>>
}

/** Metrics of their own: several may live in one process. */
export function createPrometheus(options: PrometheusOptions): Prometheus {
  const { tools, withProcess = false, build } = options
  const register = new Registry()
  if (withProcess) collectDefaultMetrics({ register })
  if (build !== undefined) addBuildInfo(register, build)
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

/** Always 1; what runs stands in its labels, to be joined with other metrics. */
function addBuildInfo(register: Registry, build: Readonly<Record<string, string>>): void {
  new Gauge({
    name: 'countersign_build_info',
    help: 'The version that runs, as labels.',
    labelNames: Object.keys(build),
    registers: [register],
  }).set(build, 1)
}
