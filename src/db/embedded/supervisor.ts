import { chown, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unlessAborted } from '../../util/abort.ts'
import type { Log } from '../../util/log.ts'
import { adoptPostmaster } from './adopt-postmaster.ts'
import { maintenanceClient } from './ask-server.ts'
import { ensureCluster } from './ensure-cluster.ts'
import { LaunchFailed, launchPostmaster, type Postmaster } from './launch-postmaster.ts'
import type { Launcher } from './launcher.ts'
import { type EmbeddedMode, readRunFile, removeRunFile, writeRunFile } from './run-file.ts'
import { embeddedName, type SocketConnection, toUrl } from './socket-connection.ts'
import { makeSocketDirectory, removeSocketDirectory } from './socket-directory.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/** What a supervisor works with; it gives back the lock when it is disposed. */
export interface SupervisorOptions {
  readonly dataDir: string
  readonly runtimeDir: string | undefined
  readonly log: Log
  readonly durable: boolean
  readonly launcher: Launcher
  readonly lock: AsyncDisposable
}

/** Keeps one PostgreSQL server running over a data directory that is locked for us. */
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

  /** Brings the server up, adopted or new, with its database and run.json. */
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

  /** Starts the server again whenever it ends, at the socket that everybody knows, until we are stopping. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      await unlessAborted(this.#postmaster.ended, signal, undefined)
      if (signal.aborted) return
      this.#options.log.error({ pid: this.pid }, 'PostgreSQL ended by itself; starting it again')
      await this.#restart(signal)
    }
  }

  async #restart(signal: AbortSignal): Promise<void> {
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 5000)) {
      try {
        this.#postmaster = await bringUp(this.#options, this.#postmaster.socketDirectory)
        return
      } catch (error) {
        this.#options.log.error({ err: error }, 'PostgreSQL did not start again')
        await delay(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
      }
    }
  }
}

/** What remains of a crashed server may be in the way of the next for a moment: it is tried again for up to 20 s. */
async function bringUp(options: SupervisorOptions, known: string | undefined): Promise<Postmaster> {
  const until = Date.now() + 20_000
  for (;;) {
    const left = await adopt(options.dataDir)
    if (left !== undefined) return open(options, left)
    // Only a first start may make an empty database: one that vanished while we ran is not to be replaced in silence.
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

/** Removes what a run that ended without stopping has left. */
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
  await ensureCluster(launcher, await launcher.place(), { durable, log })
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

/** Makes the server ready to be used and known; one that cannot be is stopped. */
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

/** Makes the database of the connection where the server does not have it yet. */
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
