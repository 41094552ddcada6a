import { lstat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../util/run-command.ts'
import { copyBinaries, moveDatabase } from './copied-place.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Binaries } from './locate-binaries.ts'
import type { EmbeddedMode } from './run-file.ts'
import { type Account, unprivilegedAccount } from './unprivileged-account.ts'

/** A program with all that starting it needs; its environment holds nothing of ours. */
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

/** The way PostgreSQL's programs run here. */
export interface Launcher {
  readonly mode: EmbeddedMode
  /** The user that directories have to be given to; undefined when they stay ours. */
  readonly account: Account | undefined
  /** The directory of the database, brought to where this way of running needs it. It may not exist yet; its parent does. */
  place(): Promise<string>
  command(program: 'initdb' | 'postgres', args: readonly string[]): Command
}

/** What a caller may say about running as root; the defaults are right outside tests. */
export interface RootOptions {
  /** False runs from a copy even where user namespaces work. */
  readonly userNamespace?: boolean
  /** Where copies go: `/var/lib/countersign`. */
  readonly copiesDir?: string
}

/**
 * Finds the way to run PostgreSQL, which refuses to run as root and to be set up by a user without a name. A user namespace
 * helps both, and reaches directories that only we can enter. Without one, root runs it as `nobody` from a copy.
 */
export async function chooseLauncher(
  dataDir: string,
  binaries: Binaries,
  options: RootOptions = {},
): Promise<Launcher> {
  const asRoot = process.geteuid?.() === 0
  if (!asRoot && hasName()) return launchInPlace('plain', dataDir, binaries, [])
  const account = await unprivilegedAccount()
  if (account === undefined) throw new EmbeddedPostgresError(nobodyElse)
  const prefix = unshareAs(account)
  const wanted = options.userNamespace !== false && !(await isCopied(dataDir))
  if (wanted && (await namespaceWorks(dataDir, binaries, prefix))) {
    return launchInPlace('user-namespace', dataDir, binaries, prefix)
  }
  if (!asRoot) throw new EmbeddedPostgresError(noName)
  return launchFromCopy(dataDir, binaries, account, options.copiesDir ?? '/var/lib/countersign')
}

const nobodyElse =
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

/** A copied database stays copied, so that there is never a second, older one. */
async function isCopied(dataDir: string): Promise<boolean> {
  return lstat(join(dataDir, 'postgres')).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  )
}

function unshareAs({ uid, gid }: Account): readonly string[] {
  return ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
}

/** In the namespace root loses its right to pass by permissions: both the programs and the data have to be ours. */
async function namespaceWorks(
  dataDir: string,
  binaries: Binaries,
  prefix: readonly string[],
): Promise<boolean> {
  const { file, args, options } = commandIn(binaries, 'postgres', ['-V'], prefix)
  try {
    await runCommand(file, args, options)
    await runCommand(
      file,
      [...prefix.slice(1), 'test', '-w', dataDir, '-a', '-x', dataDir],
      options,
    )
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
    place: async () => join(dataDir, 'postgres'),
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
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and could not be copied for another user (${said}): set DATABASE_URL`,
      { cause },
    )
  })
  return {
    mode: 'copied',
    account,
    place: () => moveDatabase(dataDir, copiesDir, account),
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
  // A library looks for others beside the link by which it was found.
  const libraries = `${extraLibraries}:${join(directory, 'lib')}`
  return { ...own, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries }
}
