import {
  PostgresConnection,
  PostgresQueueBackend,
  type QueueBaseOptions,
  runMigrations,
} from 'bullmq'
import { z } from 'zod'
import type { Queue } from '../../ports/queue.ts'
import { isConnectionLoss } from '../../util/connection-loss.ts'
import type { Log } from '../../util/log.ts'
import { untilUp } from './backoff.ts'
import { BullmqQueue } from './bullmq-queue.ts'
import type { BullmqStore } from './bullmq-store.ts'
import { PacedPool } from './paced-pool.ts'
import type { QueuePool } from './queue-pool.ts'
import { SharedClient } from './shared-client.ts'
import { type ConsumerTuning, defaultTuning } from './start-consumer.ts'

const longestBlockSeconds = 5

/**
 * BullMQ's Postgres backend on a connection that many queues and workers share: with it one LISTEN serves them all.
 * It counts as the owner, since only owners listen anew after the LISTEN connection broke, but closes nothing.
 */
class SharedBackend extends PostgresQueueBackend {
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

const searchPaths = z.tuple([z.object({ search_path: z.string() })])
const queueNames = z.array(z.object({ queue: z.string() }))

/**
 * BullMQ on Postgres, in the schema `bullmq` of the pool's database, migrated here. Waits for a server that is
 * away, until the signal. The pool stays the caller's; one of its connections is held for LISTEN.
 */
export async function createPostgresQueue(options: {
  readonly pool: QueuePool
  readonly log: Log
  readonly tuning?: Partial<ConsumerTuning>
  readonly signal?: AbortSignal
}): Promise<Queue> {
  const { pool, log, signal } = options
  const connection = await untilUp(() => connect(pool, log), { log, signal, what: 'queue' })
  return new BullmqQueue(postgresStore(pool, connection), log, {
    ...defaultTuning,
    ...options.tuning,
  })
}

/**
 * BullMQ remembers a failed start for ever, so nothing of it is built before the server has answered; the one
 * connection that is then ready serves every queue and worker, also those that are made while the server is away.
 */
async function connect(pool: QueuePool, log: Log): Promise<PostgresConnection> {
  await pool.query('SELECT 1')
  await prepareSchema(pool)
  const connection = new PostgresConnection(new PacedPool(pool, log))
  connection.setMaxListeners(0)
  await connection.waitUntilReady()
  return connection
}

async function prepareSchema(pool: QueuePool): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query('SHOW search_path')
    if (!/^"?bullmq\b/.test(searchPaths.parse(rows)[0].search_path)) {
      throw new Error('the pool of the queue needs search_path=bullmq')
    }
    await runMigrations(new SharedClient(client))
  } finally {
    client.release()
  }
}

function postgresStore(pool: QueuePool, connection: PostgresConnection): BullmqStore {
  return {
    connection: connection.pool,
    backendFactory: (name, opts, kind) =>
      new SharedBackend(connection, name, opts, kind?.withBlockingConnection === true),
    listQueues: async () => {
      const { rows } = await pool.query(
        'SELECT queue FROM meta UNION SELECT queue FROM job UNION SELECT queue FROM event',
      )
      return queueNames.parse(rows).map((row) => row.queue)
    },
    ask: (work) => work(),
    // What a database that answers refuses to write, rows are refused too.
    check: async () => void (await pool.query('SELECT 1')),
    // A Postgres that is back has forgotten nothing.
    onReturn: () => undefined,
    tells: isConnectionLoss,
    plain: (error) => error,
    close: () => connection.close(),
  }
}
