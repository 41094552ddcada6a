import { chown, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unlessAborted } from '../../util/abort.ts'
import type { Log } from '../../util/log.ts'
import { backoffMs } from '../../util/run-periodically.ts'
import { adoptPostmaster } from './adopt-postmaster.ts'
import { maintenanceClient } from './connect-running.ts'
import { ensureCluster } from './ensure-cluster.ts'
import {
  LaunchFailed,
  launchPostmaster,
  type Postmaster,
  stopPostmaster,
} from './launch-postmaster.ts'
import type { Launcher } from './launcher.ts'
import { type EmbeddedMode, readRunFile, removeRunFile, writeRunFile } from './run-file.ts'
import {
  embeddedName,
  makeSocketDirectory,
  removeSocketDirectory,
  type SocketConnection,
  toUrl,
} from './socket-directory.ts'

/** Options of the supervisor, which releases the lock when disposed. */
export interface SupervisorOptions {
  readonly dataDir: string
  readonly runtimeDir: string | undefined
  readonly log: Log
  readonly durable: boolean
  readonly launcher: Launcher
  readonly lock: AsyncDisposable
}

/** Keeps one PostgreSQL server running on a locked data directory. */
export class Supervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions
  readonly #stopping = new AbortController()
  #postmaster: Postmaster
  #watching: Promise<void>

  private constructor(options: SupervisorOptions, postmaster: Postmaster) {
    this.#options = options
    this.#postmaster = postmaster
    this.#watching = this.#watch()
  }

  /** Starts or adopts the server, and ensures its database and run.json. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const postmaster = await bringUp(options, undefined)
    return new Supervisor(options, postmaster)
  }

  get connection(): SocketConnection {
    return connectionTo(this.#postmaster)
  }

  get url(): string {
    return toUrl(this.connection)
  }

  get mode(): EmbeddedMode {
    return this.#options.launcher.mode
  }

  get owned(): boolean {
    return this.#postmaster.owned
  }

  get pid(): number {
    return this.#postmaster.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#watching
    this.#stopping.abort()
    const { dataDir, lock } = this.#options
    await this.#watching
    await stopPostmaster(this.#postmaster)
    await removeRunFile(dataDir)
    await removeSocketDirectory(this.#postmaster.socketDirectory)
    await lock[Symbol.asyncDispose]()
  }

  /** Restarts the server at the same socket whenever it ends, until stopped. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      await unlessAborted(this.#postmaster.ended, signal, undefined)
      if (signal.aborted) return
      this.#options.log.error({ pid: this.pid }, 'PostgreSQL exited unexpectedly, restarting it')
      await this.#restart(signal)
    }
  }

  async #restart(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        this.#postmaster = await bringUp(this.#options, this.#postmaster.socketDirectory)
        return
      } catch (error) {
        this.#options.log.error({ err: error }, 'failed to restart PostgreSQL')
        const pauseMs = backoffMs(tries, 100, 5_000)
        await delay(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
      }
    }
  }
}

/** Starts or adopts a server, retrying for up to 20 s while remains of a crashed one are in the way. */
async function bringUp(options: SupervisorOptions, known: string | undefined): Promise<Postmaster> {
  const until = Date.now() + 20_000
  for (;;) {
    const left = await adopt(options.dataDir)
    if (left !== undefined) return open(options, left)
    // Only a first start may create an empty database; one that vanished while running must not be replaced silently.
    if (known === undefined) await prepareDirectory(options)
    const directory = await realpath(join(options.dataDir, 'postgres'))
    const socketDirectory = known ?? (await newSocketDirectory(options))
    try {
      return await open(options, await launch(options, directory, socketDirectory))
    } catch (error) {
      if (known === undefined) await removeSocketDirectory(socketDirectory)
      const mayPass = error instanceof LaunchFailed && error.mayPass
      if (!mayPass || Date.now() > until) throw error
      await delay(250)
    }
  }
}

/** Creates a socket directory and removes the one of an earlier run that did not stop cleanly. */
async function newSocketDirectory(options: SupervisorOptions): Promise<string> {
  const before = await readRunFile(options.dataDir)
  if (before !== undefined) await removeSocketDirectory(before.connection.host)
  // Another user could not enter our runtime directory.
  const isOurs = options.launcher.account === undefined
  return makeSocketDirectory(isOurs ? options.runtimeDir : undefined)
}

async function adopt(dataDir: string): Promise<Postmaster | undefined> {
  const directory = await realpath(join(dataDir, 'postgres')).catch(() => undefined)
  return directory === undefined ? undefined : adoptPostmaster(directory)
}

async function prepareDirectory({ launcher, durable, log }: SupervisorOptions): Promise<void> {
  await ensureCluster(launcher, await launcher.databaseDirectory(), { durable, log })
}

async function launch(
  options: SupervisorOptions,
  directory: string,
  socketDirectory: string,
): Promise<Postmaster> {
  const { dataDir, launcher, durable } = options
  await mkdir(socketDirectory, { recursive: true, mode: 0o700 })
  if (launcher.account) await chown(socketDirectory, launcher.account.uid, launcher.account.gid)
  const logFile = join(dataDir, 'postgres.log')
  return launchPostmaster({ launcher, directory, socketDirectory, logFile, durable })
}

/** Ensures the database and writes run.json; stops the server if that fails. */
async function open(options: SupervisorOptions, postmaster: Postmaster): Promise<Postmaster> {
  const { dataDir, launcher } = options
  const connection = connectionTo(postmaster)
  try {
    await ensureDatabase(connection)
    await writeRunFile(dataDir, { pid: postmaster.pid, mode: launcher.mode, connection })
    return postmaster
  } catch (error) {
    await stopPostmaster(postmaster)
    throw error
  }
}

function connectionTo({ socketDirectory }: Postmaster): SocketConnection {
  return { host: socketDirectory, user: embeddedName, database: embeddedName }
}

/** Creates the connection's database if missing. */
async function ensureDatabase({ host, database }: SocketConnection): Promise<void> {
  const client = maintenanceClient(host, 60_000)
  try {
    await client.connect()
    const found = await client.query('select from pg_database where datname = $1', [database])
    if (found.rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(database)}`)
    }
  } finally {
    await client.end()
  }
}
