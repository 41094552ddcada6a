import type { Config } from '../config/config.ts'
import type { Bus } from '../ports/bus.ts'
import type { Queue } from '../ports/queue.ts'

/** Connects processes: a queue for jobs and a bus for live events. */
export interface Transport extends AsyncDisposable {
  readonly queue: Queue
  readonly bus: Bus
}

/** Time to store the results of calls that were stopped. */
const storeResultsMs = 10_000

/** Returns how long a consumer waits for running work: the grace period, and the time to store results. */
export function drainMs(config: Config): number {
  return config.limits.shutdownGraceMs + storeResultsMs
}
