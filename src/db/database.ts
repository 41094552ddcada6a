import { setTimeout as delay } from 'node:timers/promises'
import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type Transaction,
} from 'kysely'
import { type ClientConfig, DatabaseError, Pool, type PoolClient, TypeOverrides, types } from 'pg'
import { type Log, silentLog } from '../util/log.ts'
import { beginPipelined, PipelinedTransaction } from './pipelined-transaction.ts'

/**
 * Limit of prepared statements. Each takes about 10 KB on every connection that used it; the product has about two
 * hundred, not counting lists of different lengths.
 */
const maxPrepared = 400

/** PostgreSQL server and database, by URL or by the directory of its socket. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** Options of a connection pool. */
export interface PoolOptions {
  /** Maximum number of connections; 10 by default. */
  readonly max?: number
  /** Application name shown in `pg_stat_activity`. */
  readonly applicationName?: string
  /** Schema for unqualified names; the server's default if absent. */
  readonly searchPath?: string
  /** False if a commit need not wait for the disk, for data that may be lost, such as jobs that rows can recreate. */
  readonly synchronousCommit?: boolean
  readonly log?: Log
}

/** Typed queries over a connection pool. Disposing closes both. */
export interface Database<T> extends AsyncDisposable {
  readonly db: Kysely<T>
  readonly pool: Pool
}

/** Opens a database. The first query connects. */
export function openDatabase<T>(connection: Connection, options: PoolOptions = {}): Database<T> {
  const pool = openPool(connection, options)
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) })
  return {
    db,
    pool,
    [Symbol.asyncDispose]: async () => {
      await db.destroy()
      // Kysely does not end a pool that it never used.
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * Opens a connection pool for libraries that issue their own queries. A connection that breaks while idle is logged and
 * replaced; a query on it rejects. Waiting for a connection rejects after 15 s.
 */
export function openPool(connection: Connection, options: PoolOptions = {}): Pool {
  const { max = 10, log = silentLog } = options
  const pool = new Pool({ ...clientConfig(connection, options), max, idleTimeoutMillis: 30_000 })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  // The pool does not watch connections in use, and an unhandled error event would end the process; queries on the
  // connection reject anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * Runs `work` in a transaction, up to 5 times if PostgreSQL asks for a retry (serialisation failure, deadlock, outdated
 * plan after a migration). Side effects outside the database belong after it.
 */
export async function inTransaction<T, R>(
  db: Kysely<T>,
  work: (transaction: Transaction<T>) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setAccessMode('read write').execute(work)
    } catch (error) {
      if (attempt === 5 || !isRetryable(error)) throw error
      await delay(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Runs `work` on a read-only snapshot of the database. */
export function inSnapshot<T, R>(
  db: Kysely<T>,
  work: (view: Transaction<T>) => Promise<R>,
): Promise<R> {
  const view = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return view.execute(work)
}

/** Returns the pg configuration of a connection. 8-byte integers are parsed as numbers, times as `Date`. */
export function clientConfig(connection: Connection, options: PoolOptions = {}): ClientConfig {
  const { applicationName = 'countersign' } = options
  const settings = serverSettings(options)
  return {
    ...addressConfig(connection),
    application_name: applicationName,
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    types: typeParsers(),
    ...(settings === '' ? {} : { options: settings }),
  }
}

function serverSettings({ searchPath, synchronousCommit }: PoolOptions): string {
  const path = searchPath === undefined ? [] : [`-c search_path=${searchPath}`]
  return [...path, ...(synchronousCommit === false ? ['-c synchronous_commit=off'] : [])].join(' ')
}

function addressConfig(connection: Connection): ClientConfig {
  if ('url' in connection) return { connectionString: connection.url }
  // Set explicitly, since pg would otherwise read them from the environment.
  return { ...connection, port: 5432, ssl: false }
}

/** Type parsers for these connections only; pg's global table is shared by the whole process. */
function typeParsers(): TypeOverrides {
  const parsers = new TypeOverrides()
  parsers.setTypeParser(types.builtins.INT8, parseInteger)
  return parsers
}

function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}

function isRetryable(error: unknown): boolean {
  const serializationFailure = '40001'
  const deadlockDetected = '40P01'
  if (!(error instanceof DatabaseError)) return false
  if (error.code === serializationFailure || error.code === deadlockDetected) return true
  return isOutdatedPlan(error)
}

/**
 * Wraps a pool for Kysely so that each connection prepares every statement once, which saves most of the server's time
 * for short ones. A connection with outdated plans is closed when it is released.
 */
function preparingPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>()
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const preparing = known.get(client) ?? preparingClient(client, names)
      known.set(client, preparing)
      return preparing
    },
  }
}

function preparingClient(client: PoolClient, names: Map<string, string>): PostgresPoolClient {
  let isOutdated = false
  let open: PipelinedTransaction | undefined
  const send = async <R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      const name = values.length === 0 ? undefined : nameFor(text, names)
      const statement = { text, values, ...(name === undefined ? {} : { name }) }
      const result = await (open === undefined ? client.query(statement) : open.run(statement))
      return result as PostgresQueryResult<R>
    } catch (error) {
      isOutdated ||= isOutdatedPlan(error)
      throw error
    }
  }
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query<R>(given: string | PostgresCursor<R>, values: readonly unknown[] = []): unknown {
    if (typeof given !== 'string') throw new Error('cursors are not used here')
    if (given === beginPipelined) {
      open = new PipelinedTransaction(client)
      return begun
    }
    const ending = given === 'commit' || given === 'rollback' ? open?.[given]() : undefined
    if (ending === undefined) return send<R>(given, [...values])
    open = undefined
    return ending
  }
  return { query, release: (destroy) => client.release(destroy === true || isOutdated) }
}

const begun = Promise.resolve({ command: 'SELECT' as const, rowCount: 0, rows: [] })

/** Returns the name of a prepared statement, equal on all connections; undefined beyond the limit. */
function nameFor(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxPrepared) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** True if a table's columns changed after the statement was planned. The statement may be retried on another connection. */
function isOutdatedPlan(error: unknown): boolean {
  const featureNotSupported = '0A000'
  if (!(error instanceof DatabaseError) || error.code !== featureNotSupported) return false
  return error.routine === 'RevalidateCachedQuery'
}
