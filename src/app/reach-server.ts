import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { Connection } from '../db/database.ts'
import { connectRunning } from '../db/embedded/connect-running.ts'
import { DataDirectoryInUse } from '../db/embedded/errors.ts'
import { CommandError } from '../domain/command-error.ts'
import { silentLog } from '../util/log.ts'

/** PostgreSQL server that a command uses. Disposing stops it if the command started it. */
export interface Server extends AsyncDisposable {
  /** `given`: named by DATABASE_URL; `running`: used by the running product; `started`: started for this command. */
  readonly kind: 'given' | 'running' | 'started'
  /** Connects as the owner of the database. */
  readonly connection: Connection
}

/** Reports whether an embedded database was ever created in this data directory. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return lstat(join(dataDir, 'postgres')).then(
    () => true,
    () => false,
  )
}

/**
 * DECISIONS 10: connects to the server that DATABASE_URL names, else to that of the running product, whose data directory
 * is neither locked nor changed, else starts one until the result is disposed.
 */
export async function reachServer(config: Config, environment: Environment): Promise<Server> {
  const url = config.databaseUrl?.reveal()
  if (url !== undefined) return notStartedHere('given', { url })
  const { dataDir } = config
  const deadline = Date.now() + patienceMs
  for (;;) {
    const running = await connectRunning(dataDir)
    if (running !== undefined) return notStartedHere('running', running)
    const started = await tryStart(dataDir, environment)
    if (started !== undefined) return started
    if (Date.now() > deadline) throw new CommandError(neverReady(dataDir), { code: 'NOT_READY' })
    await delay(200)
  }
}

/**
 * Like `reachServer`, for a command that needs the data directory exclusively. Stops a server that a killed process left
 * behind. Throws a CommandError if another process holds the directory.
 */
export async function reachServerAlone(config: Config, environment: Environment): Promise<Server> {
  const url = config.databaseUrl?.reveal()
  if (url !== undefined) return notStartedHere('given', { url })
  const started = await tryStart(config.dataDir, environment)
  if (started !== undefined) return started
  throw new CommandError(`Countersign is running in ${config.dataDir}: stop it first`, {
    code: 'ALREADY_RUNNING',
  })
}

/** Time that a product may take to start or to stop. */
const patienceMs = 30_000

function neverReady(dataDir: string): string {
  return `another process holds ${dataDir}, but its database does not answer: try again, or restart it`
}

/** Returns undefined while another process holds the data directory, because it is starting or stopping its server. */
async function tryStart(dataDir: string, environment: Environment): Promise<Server | undefined> {
  const { startEmbeddedPostgres } = await import('../db/embedded/start-embedded-postgres.ts')
  const runtimeDir = environment.xdgRuntimeDir
  try {
    const embedded = await startEmbeddedPostgres({ dataDir, runtimeDir, log: silentLog })
    const { connection } = embedded
    return {
      kind: 'started',
      connection,
      [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
    }
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return undefined
    throw error
  }
}

function notStartedHere(kind: 'given' | 'running', connection: Connection): Server {
  return { kind, connection, [Symbol.asyncDispose]: async () => undefined }
}
