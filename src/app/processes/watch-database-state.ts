import { sql } from 'kysely'
import type { Check } from '../../adapters/http/health-route.ts'
import type { Prometheus } from '../../adapters/telemetry/create-prometheus.ts'
import type { Db } from '../../db/schema.ts'
import { type QueueStats, readQueueStats } from '../../db/worker/gauges.ts'
import { findLiveReplicas } from '../../db/worker/workers.ts'
import type { Queue } from '../../ports/queue.ts'
import { resultsQueue, toolsQueue, turnsQueue } from '../../rules/jobs/contract.ts'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/each-of.ts'

/**
 * Adds metrics of the state of the database; all of them are read by one statement per scrape. Every process with access
 * to the database reports the same values: aggregate them by maximum, not by sum.
 */
export function watchDatabaseState(metrics: Prometheus, db: Db): void {
  const read = shareInFlight(() => readQueueStats(db))
  const watch = (name: string, help: string, value: (standing: QueueStats) => number | null) =>
    metrics.gauge({ name, help, read: async () => value(await read()) ?? undefined })
  watch('approvals_pending', 'Approvals that wait for an answer.', (now) => now.approvalsPending)
  watch(
    'approval_oldest_seconds',
    'Age of the approval that expires first.',
    (now) => now.approvalSeconds,
  )
  watch('outbox_waiting', 'Messages waiting for delivery.', (now) => now.outboxWaiting)
  watch('outbox_oldest_seconds', 'Age of the oldest of them.', (now) => now.outboxSeconds)
  watch('inbox_waiting', 'Messages and taps waiting to be handled.', (now) => now.inboxWaiting)
  watch('inbox_oldest_seconds', 'Age of the oldest of them.', (now) => now.inboxSeconds)
  watch(
    'audit_broken',
    'Findings of the last verification of the audit; 0: intact.',
    (now) => now.auditBroken,
  )
  watch(
    'audit_verified_seconds',
    'Age of the last verification of the audit.',
    (now) => now.auditVerifiedSeconds,
  )
  const turns = async () => {
    const { turnsStepping: stepping, turnsActing: acting } = await read()
    return { stepping, acting }
  }
  metrics.gauge({ name: 'turns_live', help: 'Running turns.', label: 'state', read: turns })
  metrics.gauge({
    name: 'calls_at_workers',
    help: 'Calls sent to workers and not answered.',
    label: 'worker',
    read: async () => (await read()).callsAtWorkers,
  })
  metrics.gauge({
    name: 'workers_live',
    help: 'Replicas that reported recently.',
    label: 'worker',
    read: async () => (await read()).workersLive,
  })
}

/**
 * Adds the number of waiting and running jobs of each queue over all processes; the queues of a worker's live replicas
 * count as one.
 */
export function watchQueues(metrics: Prometheus, queue: Queue, db: Db, worker: string): void {
  const depthOf = async (names: readonly string[]): Promise<number> => {
    const depths = await Promise.all(names.map((name) => queue.depth(name)))
    return depths.reduce((sum, depth) => sum + depth, 0)
  }
  metrics.gauge({
    name: 'queue_depth',
    help: 'Waiting and running jobs.',
    label: 'queue',
    read: async () => {
      const depths = {
        [turnsQueue]: await depthOf([turnsQueue]),
        [resultsQueue]: await depthOf([resultsQueue]),
      }
      const own = await queuesOfReplicas(db, worker)
      if (own === undefined) return depths
      return { ...depths, [toolsQueue(worker)]: await depthOf([toolsQueue(worker), ...own]) }
    },
  })
}

/** Returns undefined while the database is unreachable, so that the depths of the other queues are still reported. */
async function queuesOfReplicas(db: Db, worker: string): Promise<readonly string[] | undefined> {
  try {
    const replicas = await withinMs(findLiveReplicas(db, worker), databasePatienceMs, undefined)
    return replicas?.map(({ replica }) => toolsQueue(worker, replica))
  } catch {
    return undefined
  }
}

/** Less than the time limit of one gauge. */
const databasePatienceMs = 1_000

/** Checks that the database answers. Details go to the log, not to HTTP clients. */
export function checkDatabase(db: Db): Check {
  return async () => {
    await sql`select 1`.execute(db)
    return undefined
  }
}
