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

/** Each takes some 10 KB of every connection that used it. Ours are about two hundred, lists of other lengths apart. */
const maxPrepared = 400

/** A PostgreSQL server and database: by URL, or by a socket's directory. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** How a pool connects. */
export interface PoolOptions {
  /** Connections at most; 10 by default. */
  readonly max?: number
  /** What `pg_stat_activity` shows. */
  readonly applicationName?: string
  /** The schema that unqualified names mean; the server's own default when absent. */
  readonly searchPath?: string
  /** False: a commit does not wait for the disk. For what may be lost, such as jobs that rows stand behind. */
  readonly synchronousCommit?: boolean
  readonly log?: Log
}

/** Typed queries over a pool of connections. Disposing closes both. */
export interface Database<T> extends AsyncDisposable {
  readonly db: Kysely<T>
  readonly pool: Pool
}

/** Opens a database; connects with the first query. */
export function openDatabase<T>(connection: Connection, options: PoolOptions = {}): Database<T> {
  const pool = openPool(connection, options)
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) })
  return {
    db,
    pool,
    [Symbol.asyncDispose]: async () => {
      await db.destroy()
      // Kysely leaves a pool alone that it never used.
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * A pool of its own, for a library that brings its own queries. A connection that breaks while idle is logged and replaced;
 * a query on it rejects. Waiting for a free or new connection rejects after 15 s.
 */
export function openPool(connection: Connection, options: PoolOptions = {}): Pool {
  const { max = 10, log = silentLog } = options
  const pool = new Pool({ ...clientConfig(connection, options), max, idleTimeoutMillis: 30_000 })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  // One in use is watched by nobody else, and an error that nobody hears ends the process; what is asked on it rejects.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * Runs `work` in one transaction and again from its start, at most 5 times in all, when PostgreSQL asks for it
 * (serialisation failure, deadlock, a table changed by a migration): effects outside the database belong after it.
 */
export async function inTransaction<T, R>(
  db: Kysely<T>,
  work: (transaction: Transaction<T>) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === 5 || !mayBeRepeated(error)) throw error
      await delay(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Runs `work` in one read-only view of the database: rows that are added meanwhile are not seen. */
export function inSnapshot<T, R>(
  db: Kysely<T>,
  work: (view: Transaction<T>) => Promise<R>,
): Promise<R> {
  const view = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return view.execute(work)
}

/** What pg needs for a connection: 8-byte integers come as numbers, times as `Date`. */
export function clientConfig(connection: Connection, options: PoolOptions = {}): ClientConfig {
  const { applicationName = 'countersign' } = options
  const settings = serverSettings(options)
  return {
    ...place(connection),
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

function place(connection: Connection): ClientConfig {
  if ('url' in connection) return { connectionString: connection.url }
  // Port and encryption are given, since pg would otherwise take them from the environment.
  return { ...connection, port: 5432, ssl: false }
}

/** For these connections alone: pg's own table of parsers belongs to everybody in the process. */
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

function mayBeRepeated(error: unknown): boolean {
  const serializationFailure = '40001'
  const deadlockDetected = '40P01'
  if (!(error instanceof DatabaseError)) return false
  if (error.code === serializationFailure || error.code === deadlockDetected) return true
  return isOutdatedPlan(error)
}

/**
 * A pool as kysely takes it, whose connections have each statement parsed and planned once: that is most of what the
 * server does for a short one. A connection whose plans a migration outdated is closed when it is given back.
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
  const send = async <R>(text: string, values: unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      const name = values.length === 0 ? undefined : nameFor(text, names)
      const result = await client.query({ text, values, ...(name === undefined ? {} : { name }) })
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
    return send<R>(given, [...values])
  }
  return { query, release: (destroy) => client.release(destroy === true || isOutdated) }
}

/** Every connection knows a statement by the same name; beyond the limit they go without. */
function nameFor(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= maxPrepared) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** A table has other columns than when the statement was planned. What failed may be tried again elsewhere. */
function isOutdatedPlan(error: unknown): boolean {
  const featureNotSupported = '0A000'
  if (!(error instanceof DatabaseError) || error.code !== featureNotSupported) return false
  return error.routine === 'RevalidateCachedQuery'
}
