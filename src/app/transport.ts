import type { Config } from '../config/config.ts'
import type { Bus } from '../ports/bus.ts'
import type { Queue } from '../ports/queue.ts'

/** How processes reach each other: the queue of jobs, and the bus for live events. */
export interface Transport extends AsyncDisposable {
  readonly queue: Queue
  readonly bus: Bus
}

/** How long answers of calls that were stopped may take to be stored. */
const toldInMs = 10_000

/** How long a consumer waits for work in hand: beyond the grace only for what still has to be told. */
export function drainMs(config: Config): number {
  return config.limits.shutdownGraceMs + toldInMs
}
