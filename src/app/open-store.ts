import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { type Connection, type Database, openDatabase } from '../db/database.ts'
import type { EmbeddedPostgres } from '../db/embedded/start-embedded-postgres.ts'
import { assertOurs, readLineage } from '../db/lineage/compare-lineage.ts'
import { isForbidden } from '../db/literals.ts'
import { migrateToLatest, migrationNames } from '../db/migrate.ts'
import { appRole, grantAppRole } from '../db/roles/grant-roles.ts'
import type { Db, Schema } from '../db/schema.ts'
import { CommandError } from '../domain/command-error.ts'
import type { Log } from '../util/log.ts'

/** Migrated database. Disposing closes it, and stops an embedded one. */
export interface Store extends AsyncDisposable, Database<Schema> {
  /** Connection of the product. */
  readonly connection: Connection
  /** Connection that creates schemas: for the queue, and for migrations. */
  readonly owner: Connection
  /** Embedded PostgreSQL, if the product runs its own. */
  readonly embedded: EmbeddedPostgres | undefined
}

/** Minimum pool size; the sweeper holds a connection while it asks for others. */
const leastConnections = 3

/**
 * STORE-01, STORE-02: opens the configured PostgreSQL, or an embedded one, whose start may have `begun`; migrates under a
 * lock.
 */
export async function openStore(
  config: Config,
  environment: Environment,
  log: Log,
  begun?: Promise<EmbeddedPostgres>,
): Promise<Store> {
  const resources = new AsyncDisposableStack()
  try {
    const embedded = await (begun ?? startEmbedded(config, environment, log))
    resources.use(embedded)
    const owner = embedded?.connection ?? { url: config.databaseUrl?.reveal() ?? '' }
    await prepare(owner, embedded !== undefined, log)
    const connection = embedded === undefined ? owner : { ...embedded.connection, user: appRole }
    const max = Math.max(config.database.poolSize, leastConnections)
    const opened = resources.use(openDatabase<Schema>(connection, { max, log }))
    return {
      db: opened.db,
      pool: opened.pool,
      connection,
      owner,
      embedded,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** Starts the embedded PostgreSQL; undefined if another is configured. */
async function startEmbedded(
  { databaseUrl, dataDir }: Config,
  environment: Environment,
  log: Log,
): Promise<EmbeddedPostgres | undefined> {
  if (databaseUrl !== undefined) return undefined
  const { startEmbeddedPostgres } = await import('../db/embedded/start-embedded-postgres.ts')
  return startEmbeddedPostgres({ dataDir, runtimeDir: environment.xdgRuntimeDir, log })
}

/** Migrates the database and, in an embedded one, creates the role that cannot change the audit. */
async function prepare(owner: Connection, isOwn: boolean, log: Log): Promise<void> {
  await using opened = openDatabase<Schema>(owner, { max: 2, log })
  const { db } = opened
  const note = (sentence: string): void => log.warn({}, sentence)
  if (!isOwn) return await prepareGiven(db, note)
  await migrateToLatest(db, { note })
  await grantAppRole(db)
}

/** Migrates a given database. Throws a CommandError that names who can where this role may not. */
async function prepareGiven(db: Db, note: (sentence: string) => void): Promise<void> {
  const missing = assertOurs(await readLineage(db, await migrationNames()))
  if (missing.length === 0) return
  try {
    await migrateToLatest(db, { note })
  } catch (error) {
    const causes = error instanceof Error ? [error, error.cause] : []
    if (!causes.some(isForbidden)) throw error
    throw new CommandError(
      `the database lacks ${missing.length} steps of this version, and this role may not take them: run countersign migrate as its owner`,
      { code: 'DATABASE_OUTDATED', cause: error },
    )
  }
}
