import { lstat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../util/run-command.ts'
import { type Account, copyBinaries, moveDatabase, unprivilegedAccount } from './copy-database.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Binaries } from './locate-binaries.ts'
import type { EmbeddedMode } from './run-file.ts'

/** Program invocation with an environment free of our own variables. */
interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly options: {
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
    readonly uid?: number
    readonly gid?: number
  }
}

/** Method of running PostgreSQL's programs. */
export interface Launcher {
  readonly mode: EmbeddedMode
  /** User that must own the directories; undefined if they stay ours. */
  readonly account: Account | undefined
  /** Returns the database directory, moved to where this method needs it. It may not exist yet; its parent does. */
  databaseDirectory(): Promise<string>
  command(program: 'initdb' | 'postgres', args: readonly string[]): Command
}

/** Options for running as root; the defaults are only changed in tests. */
export interface RootOptions {
  /** False to run from a copy even if user namespaces work. */
  readonly userNamespace?: boolean
  /** Directory of copies, `/var/lib/countersign` by default. */
  readonly copiesDir?: string
}

/**
 * Chooses how to run PostgreSQL, which refuses to run as root or as a user without a name. A user namespace solves both
 * and can access directories that only we may enter. Without one, root runs a copy as `nobody`.
 */
export async function chooseLauncher(
  dataDir: string,
  binaries: Binaries,
  options: RootOptions = {},
): Promise<Launcher> {
  const asRoot = process.geteuid?.() === 0
  if (!asRoot && hasName()) return launchInPlace('plain', dataDir, binaries, [])
  const account = await unprivilegedAccount()
  if (account === undefined) throw new EmbeddedPostgresError(noOtherUser)
  const prefix = unshareAs(account)
  const wanted = options.userNamespace !== false && !(await isCopied(dataDir))
  if (wanted && (await namespaceWorks(dataDir, binaries, prefix))) {
    return launchInPlace('user-namespace', dataDir, binaries, prefix)
  }
  if (!asRoot) throw new EmbeddedPostgresError(noName)
  return launchFromCopy(dataDir, binaries, account, options.copiesDir ?? '/var/lib/countersign')
}

const noOtherUser =
  'PostgreSQL runs neither as root nor as a user without a name, and /etc/passwd names nobody else: set DATABASE_URL'
const noName =
  'PostgreSQL cannot run as a user that has no name here, and user namespaces do not work: set DATABASE_URL'

function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** True if the database was already moved to a copy; it then stays there, so that no second, older one exists. */
async function isCopied(dataDir: string): Promise<boolean> {
  return lstat(join(dataDir, 'postgres')).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  )
}

function unshareAs({ uid, gid }: Account): readonly string[] {
  return ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
}

/**
 * True if user namespaces work. Root loses its permission override in one, so programs and data must be accessible as our
 * own.
 */
async function namespaceWorks(
  dataDir: string,
  binaries: Binaries,
  prefix: readonly string[],
): Promise<boolean> {
  const { file, args, options } = commandIn(binaries, 'postgres', ['-V'], prefix)
  const [program = '', ...rest] = args.slice(prefix.length - 1)
  const script = 'test -w "$1" && test -x "$1" && shift && exec "$@"'
  const shell = [...prefix.slice(1), '/bin/sh', '-c', script, 'sh', dataDir, program, ...rest]
  try {
    await runCommand(file, shell, options)
    return true
  } catch {
    return false
  }
}

function launchInPlace(
  mode: EmbeddedMode,
  dataDir: string,
  binaries: Binaries,
  prefix: readonly string[],
): Launcher {
  return {
    mode,
    account: undefined,
    databaseDirectory: async () => join(dataDir, 'postgres'),
    command: (program, args) => commandIn(binaries, program, args, prefix),
  }
}

async function launchFromCopy(
  dataDir: string,
  binaries: Binaries,
  account: Account,
  copiesDir: string,
): Promise<Launcher> {
  const copied = await copyBinaries(binaries, copiesDir).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and could not be copied for another user (${message}): set DATABASE_URL`,
      { cause },
    )
  })
  return {
    mode: 'copied',
    account,
    databaseDirectory: () => moveDatabase(dataDir, copiesDir, account),
    command: (program, args) => {
      const command = commandIn(copied, program, args, [])
      return { ...command, options: { ...command.options, ...account } }
    },
  }
}

function commandIn(
  binaries: Binaries,
  program: 'initdb' | 'postgres',
  args: readonly string[],
  prefix: readonly string[],
): Command {
  const [file = '', ...rest] = [...prefix, join(binaries.directory, 'bin', program), ...args]
  return { file, args: rest, options: { cwd: '/', env: environment(binaries) } }
}

function environment({ directory, extraLibraries }: Binaries): Readonly<Record<string, string>> {
  const own = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' }
  if (extraLibraries === undefined) return own
  // Libraries are searched next to the link through which they were found.
  const libraries = `${extraLibraries}:${join(directory, 'lib')}`
  return { ...own, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries }
}
