import { type BackendFactory, type IQueueBackend, type Job, Worker } from 'bullmq'
import type { Consumer, QueueJob } from '../../ports/queue.ts'
import { withinMs } from '../../util/abort.ts'
import type { Log } from '../../util/log.ts'
import { toStorable } from '../../util/text/storable.ts'
import { retryUntilUp } from './backoff.ts'

/** Times of a consumer, in milliseconds. */
export interface ConsumerTuning {
  /** Time after which a job of a silent worker is dropped; it is never run again. */
  readonly lockMs: number
  /** Interval of the search for silent workers. */
  readonly stallCheckMs: number
  /** Time for which disposing waits for running jobs. */
  readonly graceMs: number
}

export const defaultTuning: ConsumerTuning = {
  lockMs: 30_000,
  stallCheckMs: 30_000,
  graceMs: 30_000,
}

interface ConsumerSpec {
  readonly store: BullmqStore
  readonly log: Log
  readonly tuning: ConsumerTuning
  readonly queue: string
  readonly concurrency: number
  readonly handle: (job: QueueJob) => Promise<void>
}

/** Starts a worker on one queue; resolves when it is ready, after any number of attempts. */
export async function startConsumer(spec: ConsumerSpec): Promise<Consumer> {
  const worker = await retryUntilUp(() => readyWorker(spec), {
    log: spec.log,
    what: `queue ${spec.queue}`,
  })
  return { [Symbol.asyncDispose]: () => stop(worker, spec) }
}

async function readyWorker(spec: ConsumerSpec): Promise<RunningWorker> {
  const { store, log, queue } = spec
  const worker = buildWorker(spec)
  // The store logs lost connections once; other errors are logged here.
  worker.on('error', (error) => {
    if (!store.logsItself(error))
      log.warn({ queue, err: store.plain(error) }, 'queue: worker error')
  })
  worker.on('failed', (job, error) =>
    log.warn({ queue, id: job?.id, err: store.plain(error) }, 'queue: job dropped'),
  )
  try {
    await worker.waitUntilReady()
    return worker
  } catch (error) {
    await worker.close(true)
    throw error
  }
}

type RunningWorker = ReturnType<typeof buildWorker>

function buildWorker(spec: ConsumerSpec) {
  return new Worker(
    spec.queue,
    (job) => run(spec, job),
    {
      connection: spec.store.connection,
      concurrency: spec.concurrency,
      maxStalledCount: 0,
      lockDuration: spec.tuning.lockMs,
      stalledInterval: spec.tuning.stallCheckMs,
      runRetryDelay: 200,
      // For jobs of other programs; ours are added with options to remove them.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
    spec.store.backendFactory,
  )
}

/** Runs the handler. Never rejects: for BullMQ every job succeeds, as failures are recorded in rows. */
async function run(spec: ConsumerSpec, job: Job): Promise<null> {
  const id = job.id ?? ''
  try {
    await spec.handle({ id, data: unwrapJobData(job.data) })
  } catch (error) {
    spec.log.error({ queue: spec.queue, id, err: error }, 'queue: job failed')
  }
  return null
}

async function stop(worker: RunningWorker, spec: ConsumerSpec): Promise<void> {
  const closed = worker.close().then(() => 'closed' as const)
  const outcome = await withinMs(closed, spec.tuning.graceMs, 'late' as const)
  if (outcome === 'late')
    spec.log.warn({ queue: spec.queue }, 'queue: stopped with unfinished jobs')
}

/** Prepares data for BullMQ: NUL and lone surrogates would break a job, and a bare null would be read as `{}`. */
export function wrapJobData(data: unknown): { readonly data: unknown } {
  return JSON.parse(JSON.stringify({ data }, (_key, value: unknown) => storable(value)))
}

/** Reads prepared data; undefined for anything else in the queue. */
function unwrapJobData(stored: unknown): unknown {
  return typeof stored === 'object' && stored !== null && 'data' in stored ? stored.data : undefined
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStorable(key), inner]))
}

/** Storage of BullMQ queues: Redis or Postgres. */
export interface BullmqStore {
  readonly backendFactory: BackendFactory<IQueueBackend, unknown>
  /** Passed to BullMQ as `connection`. */
  readonly connection: unknown
  /** Names of all queues with stored data, including those of earlier processes. */
  listQueues(): Promise<readonly string[]>
  /** Runs an operation that a caller waits for: fails within seconds while the server cannot be reached. */
  runWithinTime<T>(work: () => Promise<T>): Promise<T>
  /** Rejects unless the store can be written to. */
  check(): Promise<void>
  /** Registers a listener for reconnections, after which the settings of queues may be lost. */
  onReturn(listener: () => void): void
  /** Whether the store logs this error itself, once for all who encounter it. */
  logsItself(error: Error): boolean
  /** The error in a form that is safe to log. */
  plain(error: Error): Error
  close(): Promise<void>
}
