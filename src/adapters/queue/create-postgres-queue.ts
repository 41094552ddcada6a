import type { EventEmitter } from 'node:events'
import {
  type PgPool,
  type PgPoolClient,
  type PgQueryResult,
  PostgresConnection,
  runMigrations,
} from 'bullmq'
import { z } from 'zod'
import type { Queue } from '../../ports/queue.ts'
import { isConnectionLoss } from '../../util/has-code.ts'
import type { Log } from '../../util/log.ts'
import { retryUntilUp } from './backoff.ts'
import { BullmqQueue } from './bullmq-queue.ts'
import { type NamedStatement, runLean } from './lean-commands.ts'
import { FailureDelay } from './redis-backend.ts'
import { SharedBackend } from './shared-backend.ts'
import { type BullmqStore, type ConsumerTuning, defaultTuning } from './start-consumer.ts'

/** A pooled connection shared by many workers; queries are sent one at a time, as pg requires. */
class SharedClient implements PgPoolClient {
  readonly #client: QueuePoolClient
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: QueuePoolClient) {
    this.#client = client
    client.setMaxListeners(0)
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#last.then(() => this.#client.query(text, [...values]))
    this.#last = result.catch(() => undefined)
    return result as Promise<PgQueryResult<R>>
  }

  on(event: string, told: Listener): this {
    this.#client.on(event, told)
    return this
  }

  removeListener(event: string, told: Listener): this {
    this.#client.removeListener(event, told)
    return this
  }

  removeAllListeners(event?: string): this {
    this.#client.removeAllListeners(event)
    return this
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy)
  }
}

/** The pool as passed to BullMQ's workers: delays repeated failures. */
class DelayedPool implements PgPool {
  readonly #pool: QueuePool
  readonly #delay: FailureDelay

  constructor(pool: QueuePool, log: Log) {
    this.#pool = pool
    this.#delay = new FailureDelay({
      isOutage: isConnectionLoss,
      onStart: (error) => log.warn({ err: error }, 'queue: database unreachable'),
      onEnd: () => log.info({}, 'queue: database reachable again'),
    })
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#delay.run(
      async () =>
        (await runLean(text, values, (statement) => this.#pool.query(statement))) ??
        (await this.#pool.query(text, [...values])),
    )
    return result as Promise<PgQueryResult<R>>
  }

  connect(): Promise<PgPoolClient> {
    return this.#delay.run(async () => new SharedClient(await this.#pool.connect()))
  }

  /** The pool belongs to the caller, and so do its listeners. */
  on(): this {
    return this
  }

  removeAllListeners(): this {
    return this
  }

  async end(): Promise<void> {
    await Promise.resolve()
  }
}

const searchPaths = z.tuple([z.object({ search_path: z.string() })])
const queueNames = z.array(z.object({ queue: z.string() }))

/**
 * Creates BullMQ queues on Postgres, in the schema `bullmq` of the pool's database, which is migrated here. Waits for an
 * unreachable server, until the signal aborts. The pool belongs to the caller; one of its connections is used for LISTEN.
 */
export async function createPostgresQueue(options: {
  readonly pool: QueuePool
  readonly log: Log
  readonly tuning?: Partial<ConsumerTuning>
  readonly signal?: AbortSignal
}): Promise<Queue> {
  const { pool, log, signal } = options
  const connection = await retryUntilUp(() => connect(pool, log), { log, signal, what: 'queue' })
  return new BullmqQueue(postgresStore(pool, connection), log, {
    ...defaultTuning,
    ...options.tuning,
  })
}

/**
 * Connects after the server has answered, as BullMQ would keep failing after a failed start. The connection serves all queues
 * and workers, including those created while the server is unreachable.
 */
async function connect(pool: QueuePool, log: Log): Promise<PostgresConnection> {
  await pool.query('SELECT 1')
  await prepareSchema(pool)
  const connection = new PostgresConnection(new DelayedPool(pool, log))
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
    runWithinTime: (work) => work(),
    // A database that refuses writes refuses rows as well, so a read is enough.
    check: async () => void (await pool.query('SELECT 1')),
    // Postgres keeps the settings of queues across restarts.
    onReturn: () => undefined,
    logsItself: isConnectionLoss,
    plain: (error) => error,
    close: () => connection.close(),
  }
}

type Listener = Parameters<EventEmitter['on']>[1]

/**
 * The part of a `pg.Pool` that the queue needs; its connections must have `search_path=bullmq`. The caller handles its errors
 * and closes it.
 */
interface QueuePool {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  query(statement: NamedStatement): Promise<QueueRows>
  connect(): Promise<QueuePoolClient>
}

interface QueueRows {
  readonly rows: unknown[]
  readonly rowCount: number | null
}

/** The part of a pooled connection that the queue needs. */
interface QueuePoolClient extends EventEmitter {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  release(destroy?: boolean): void
}
