import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { assertRestoreEnded } from '../db/lineage/compare-lineage.ts'
import type { Schema } from '../db/schema.ts'
import { CommandError } from '../domain/command-error.ts'
import { orAborted } from '../util/abort.ts'
import { hasDatabase, reachServer, type Server } from './reach-server.ts'

/** Input of every command that uses the database. */
export interface CommandInput {
  readonly config: Config
  readonly environment: Environment
}

/** Database that a command opened. */
export interface StandaloneDatabase extends AsyncDisposable {
  readonly server: Server
  readonly database: Database<Schema>
}

/**
 * Opens the database whether or not the product runs; changes nothing in it. Throws a CommandError if there is none yet,
 * and a LineageError if a restore into it did not complete: its rows and the files may not match.
 */
export async function openStandaloneDatabase(input: CommandInput): Promise<StandaloneDatabase> {
  const standalone = await openUnchecked(input)
  try {
    await assertRestoreEnded(standalone.database.db)
    return standalone
  } catch (error) {
    await standalone[Symbol.asyncDispose]()
    throw error
  }
}

/** Sends no query yet. */
async function openUnchecked({ config, environment }: CommandInput): Promise<StandaloneDatabase> {
  const { dataDir } = config
  if (config.databaseUrl === undefined && !(await hasDatabase(dataDir))) {
    throw new CommandError(
      `there is no database in ${dataDir} yet: run countersign start first, or say where it is with COUNTERSIGN_DATA_DIR`,
      { code: 'NO_DATABASE' },
    )
  }
  const resources = new AsyncDisposableStack()
  try {
    const server = resources.use(await reachServer(config, environment))
    const options = { max: 2, applicationName: 'countersign command' }
    const database = resources.use(openDatabase<Schema>(server.connection, options))
    return { server, database, [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** Runs `work` over the database, or rejects with the signal's reason after stopping a server that it started. */
export async function withDatabase<T>(
  input: CommandInput & { readonly signal: AbortSignal },
  work: (database: Database<Schema>) => Promise<T>,
): Promise<T> {
  const beside = await openUnchecked(input)
  const { signal } = input
  const { database } = beside
  const checked = async () => {
    await assertRestoreEnded(database.db)
    return await work(database)
  }
  try {
    const result = await orAborted(checked(), signal)
    await beside[Symbol.asyncDispose]()
    return result
  } catch (error) {
    // Closing the pool would wait for the statement that is to be interrupted.
    if (signal.aborted) await beside.server[Symbol.asyncDispose]()
    else await beside[Symbol.asyncDispose]()
    throw error
  }
}
