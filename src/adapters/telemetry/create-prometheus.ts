import { type Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observer } from '../../ports/observer.ts'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/each-of.ts'
import { countEvent } from './count-event.ts'
import { createMeters } from './create-meters.ts'

/** The longest time that a scrape waits for one gauge, in milliseconds. */
const longestReadMs = 2_000

const failed: unique symbol = Symbol('failed')

/** PROC-05: this process's counters and gauges in Prometheus' text format. */
export interface Prometheus {
  readonly observer: Observer
  readonly contentType: string
  /** All metrics at this moment. A gauge that cannot be read within 2 s is left out. */
  text(): Promise<string>
  /** Adds a gauge to the result of `text`. */
  gauge(watched: GaugeSource): void
}

export interface PrometheusOptions {
  /** Tool names allowed as label values; any other tool is `other`. */
  readonly tools: readonly string[]
  /** Whether to include memory, CPU and event loop metrics of the process. */
  readonly withProcess?: boolean
  /** The labels of `build_info`, such as the version; absent: no such metric. */
  readonly build?: Readonly<Record<string, string>>
}

/** Uses a registry of its own: one process may hold several. */
export function createPrometheus(options: PrometheusOptions): Prometheus {
  const { tools, withProcess = false, build } = options
  const register = new Registry()
  if (withProcess) collectDefaultMetrics({ register })
  if (build !== undefined) addBuildInfo(register, build)
  const meters = createMeters(register)
  const known = new Set(tools)
  const toLabel = (tool: string): string => (known.has(tool) ? tool : 'other')
  return {
    observer: { record: (event) => countEvent(meters, toLabel, event) },
    contentType: register.contentType,
    text: shareInFlight(() => register.metrics()),
    gauge: (watched) => watchGauge(register, meters.gaugeFailures, watched),
  }
}

/** Always 1; the labels describe the build, to be joined with other metrics. */
function addBuildInfo(register: Registry, build: Readonly<Record<string, string>>): void {
  new Gauge({
    name: 'countersign_build_info',
    help: 'The version that runs, as labels.',
    labelNames: Object.keys(build),
    registers: [register],
  }).set(build, 1)
}

/** One number, or one per value of the gauge's label; undefined: no value. */
type Reading = number | Readonly<Record<string, number>> | undefined

/** A gauge that is read at each scrape. */
interface GaugeSource {
  /** Without the prefix. */
  readonly name: string
  readonly help: string
  /** The label that tells the numbers of `read` apart; absent: `read` gives one number. */
  readonly label?: string
  readonly read: () => Promise<Reading>
}

/** Registers a gauge. If a read fails it has no value, since the last one may be outdated. */
function watchGauge(register: Registry, failures: Counter<'gauge'>, watched: GaugeSource): void {
  const { name, help, label } = watched
  // A hanging read is not started again before it ends.
  const read = shareInFlight(watched.read)
  new Gauge<string>({
    name: `countersign_${name}`,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [register],
    async collect() {
      this.reset()
      if (label === undefined) this.remove()
      const reading = await attempt(read)
      if (reading === failed) failures.inc({ gauge: name })
      else set(this, label, reading)
    },
  })
}

async function attempt(read: () => Promise<Reading>): Promise<Reading | typeof failed> {
  try {
    return await withinMs(read(), longestReadMs, failed)
  } catch {
    return failed
  }
}

function set(gauge: Gauge, label: string | undefined, reading: Reading): void {
  if (typeof reading === 'number') gauge.set(reading)
  if (typeof reading !== 'object' || label === undefined) return
  for (const [value, number] of Object.entries(reading)) gauge.set({ [label]: value }, number)
}
