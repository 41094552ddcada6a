import type { BackendFactory, IQueueBackend } from 'bullmq'

/** One home of BullMQ queues, on Redis or on Postgres. */
export interface BullmqStore {
  readonly backendFactory: BackendFactory<IQueueBackend, unknown>
  /** Passed to BullMQ as `connection`. */
  readonly connection: unknown
  /** Every queue that has left anything here, also those of earlier processes. */
  listQueues(): Promise<readonly string[]>
  /** Runs what a caller waits for: it fails within seconds while the server is away. */
  ask<T>(work: () => Promise<T>): Promise<T>
  /** Calls `told` when the server is back and may have forgotten the settings of the queues. */
  onReturn(told: () => void): void
  /** What the log may say of an error that BullMQ met; undefined for what the store tells by itself, once. */
  untold(error: Error): Error | undefined
  close(): Promise<void>
}
