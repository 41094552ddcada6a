import { type Counter, Gauge, type Registry } from 'prom-client'
import { shareInFlight } from '../../util/share-in-flight.ts'
import { withinMs } from '../../util/within-ms.ts'

/** One number, or several by the values of the gauge's label; undefined: nothing to say. */
export type Reading = number | Readonly<Record<string, number>> | undefined

/** A gauge that is read whenever somebody asks. */
export interface Watched {
  /** Without the prefix. */
  readonly name: string
  readonly help: string
  /** The name of the label by which `read` gives several numbers; absent: it gives one. */
  readonly label?: string
  readonly read: () => Promise<Reading>
}

/** Nobody who asks waits longer for one gauge, in milliseconds. */
const longestReadMs = 2_000

/** Registers a gauge. One that cannot be read has no value: what it said last may be wrong by now. */
export function watchGauge(register: Registry, failures: Counter<'gauge'>, watched: Watched): void {
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

const failed: unique symbol = Symbol('failed')

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
