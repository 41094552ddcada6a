import type { EventEmitter } from 'node:events'
import {
  type PgPool,
  type PgPoolClient,
  type PgQueryResult,
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
import { Pace } from './pace.ts'
import { type ConsumerTuning, defaultTuning } from './start-consumer.ts'

/** One pooled connection as many workers use it: pg wants its queries one after the other. */
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

/** The pool as BullMQ's workers get it: failures come slower the longer they go on. */
class PacedPool implements PgPool {
  readonly #pool: QueuePool
  readonly #pace: Pace

  constructor(pool: QueuePool, log: Log) {
    this.#pool = pool
    this.#pace = new Pace({
      isTrouble: isConnectionLoss,
      began: (error) => log.warn({ err: error }, 'queue: the database is away'),
      over: () => log.info({}, 'queue: the database is back'),
    })
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#pace.run(() => this.#pool.query(text, [...values]))
    return result as Promise<PgQueryResult<R>>
  }

  connect(): Promise<PgPoolClient> {
    return this.#pace.run(async () => new SharedClient(await this.#pool.connect()))
  }

  /** The pool is the caller's; who listens to it is the caller's business too. */
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

type Listener = Parameters<EventEmitter['on']>[1]

/** What the queue needs of a `pg.Pool` whose connections have `search_path=bullmq`. The caller listens to its errors and ends it. */
interface QueuePool {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  connect(): Promise<QueuePoolClient>
}

interface QueueRows {
  readonly rows: unknown[]
  readonly rowCount: number | null
}

/** What the queue needs of a connection that was taken from the pool. */
interface QueuePoolClient extends EventEmitter {
  query(text: string, values?: unknown[]): Promise<QueueRows>
  release(destroy?: boolean): void
}
