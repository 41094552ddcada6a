import { type Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Observer } from '../../ports/observer.ts'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/share-in-flight.ts'
import { countEvent } from './count-event.ts'
import { createMeters } from './create-meters.ts'

/** The longest time that a scrape waits for one gauge, in milliseconds. */
const longestReadMs = 2_000

const failed: unique symbol = Symbol('failed')

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
    observer: { record: (event) => countEvent(meters, toLabel, event) },
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

/** One number, or several by the values of the gauge's label; undefined: nothing to say. */
type Reading = number | Readonly<Record<string, number>> | undefined

/** A gauge that is read whenever somebody asks. */
interface Watched {
  /** Without the prefix. */
  readonly name: string
  readonly help: string
  /** The name of the label by which `read` gives several numbers; absent: it gives one. */
  readonly label?: string
  readonly read: () => Promise<Reading>
}

/** Registers a gauge. One that cannot be read has no value: what it said last may be wrong by now. */
function watchGauge(register: Registry, failures: Counter<'gauge'>, watched: Watched): void {
  const { name, help, label } = watched
  // A read that hangs is not begun again until it has ended.
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
