import { readStanding, type Standing } from '../db/gauges.ts'
import type { Db } from '../db/schema.ts'
import type { Prometheus } from '../edges/telemetry/create-prometheus.ts'
import type { Queue } from '../ports/queue.ts'
import { shareInFlight } from '../util/share-in-flight.ts'

/**
 * Adds how things stand in the database to the metrics, by one statement for whoever asks. Every process that has the database
 * tells the same: take the greatest, not the sum.
 */
export function watchStanding(metrics: Prometheus, db: Db): void {
  const read = shareInFlight(() => readStanding(db))
  const watch = (name: string, help: string, value: (standing: Standing) => number | null) =>
    metrics.gauge({ name, help, read: async () => value(await read()) ?? undefined })
  watch('approvals_pending', 'Questions that nobody has answered.', (now) => now.approvalsPending)
  watch(
    'approval_oldest_seconds',
    'Age of the question that ends first.',
    (now) => now.approvalSeconds,
  )
  watch('outbox_waiting', 'Messages that wait to be delivered.', (now) => now.outboxWaiting)
  watch('outbox_oldest_seconds', 'Age of the oldest of them.', (now) => now.outboxSeconds)
  watch('inbox_waiting', 'What people did and nobody has handled.', (now) => now.inboxWaiting)
  watch('inbox_oldest_seconds', 'Age of the oldest of it.', (now) => now.inboxSeconds)
  const turns = async () => {
    const { turnsStepping: stepping, turnsActing: acting } = await read()
    return { stepping, acting }
  }
  metrics.gauge({ name: 'turns_live', help: 'Turns under way.', label: 'state', read: turns })
  metrics.gauge({
    name: 'calls_at_workers',
    help: 'Calls that were sent and are not answered.',
    label: 'worker',
    read: async () => (await read()).callsAtWorkers,
  })
  metrics.gauge({
    name: 'workers_live',
    help: 'Replicas heard of lately.',
    label: 'worker',
    read: async () => (await read()).workersLive,
  })
}

/** Adds how many jobs wait or run in these queues, of all processes together. */
export function watchQueues(metrics: Prometheus, queue: Queue, names: readonly string[]): void {
  metrics.gauge({
    name: 'queue_depth',
    help: 'Jobs that wait or run.',
    label: 'queue',
    read: async () => {
      const depths = names.map(async (name) => [name, await queue.depth(name)] as const)
      return Object.fromEntries(await Promise.all(depths))
    },
  })
}
