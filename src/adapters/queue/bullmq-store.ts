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
  /** Rejects unless the store takes what is written. */
  check(): Promise<void>
  /** Calls `told` when the server is back and may have forgotten the settings of the queues. */
  onReturn(told: () => void): void
  /** Whether the store tells of this error by itself, once, however many meet it. */
  tells(error: Error): boolean
  /** The error as the log may have it. */
  plain(error: Error): Error
  close(): Promise<void>
}
