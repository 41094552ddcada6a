import type { BackendFactory, IQueueBackend } from 'bullmq'

/** One home of BullMQ queues, on Redis or on Postgres. */
export interface BullmqStore {
  readonly backendFactory: BackendFactory<IQueueBackend, unknown>
  /** Passed to BullMQ as `connection`. */
  readonly connection: unknown
  /** Every queue that has left anything here, also those of earlier processes. */
  listQueues(): Promise<readonly string[]>
  close(): Promise<void>
}
