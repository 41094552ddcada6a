import type { BackendFactory, IQueueBackend } from 'bullmq'

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
