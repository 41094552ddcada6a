import { type PostgresConnection, PostgresQueueBackend, type QueueBaseOptions } from 'bullmq'

const longestBlockSeconds = 5

/**
 * BullMQ's Postgres backend on a connection that many queues and workers share: with it one LISTEN serves them all.
 * It counts as the owner, since only owners listen anew after the LISTEN connection broke, but closes nothing.
 */
export class SharedBackend extends PostgresQueueBackend {
  /** `options` are those of the BullMQ queue or worker; `listens`: it is a worker's. */
  constructor(
    connection: PostgresConnection,
    queue: string,
    options: QueueBaseOptions<unknown>,
    listens: boolean,
  ) {
    super(connection, queue, { ...options, connection: connection.pool }, listens)
  }

  override close(): Promise<void> {
    return Promise.resolve()
  }

  /** Look again so often without being told: the wait would otherwise be an hour after a broken connection. */
  override get maximumBlockTimeout(): number {
    return longestBlockSeconds
  }
}
