import { constants, existsSync } from 'node:fs'
import { access, chown, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId } from '../../util/ids.ts'
import type { Log } from '../../util/log.ts'
import { runCommand } from '../../util/run-command.ts'
import { unpackCluster } from './cluster-template.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Launcher } from './launcher.ts'
import { embeddedName } from './socket-directory.ts'

/**
 * Creates the database directory if missing, under a temporary name that is renamed once it is complete. Deletes
 * unfinished directories of earlier starts. Throws if the directory has another major version.
 */
export async function ensureCluster(
  launcher: Launcher,
  directory: string,
  { durable, log }: { durable: boolean; log: Log },
): Promise<void> {
  await removeUnfinished(directory)
  const found = await inspect(directory)
  if (found.kind === 'complete') return assertVersion(launcher, directory, found.version)
  if (found.kind === 'broken') {
    const aside = `${directory}.broken-${newId()}`
    await rename(directory, aside)
    log.warn({ aside }, 'the PostgreSQL directory was incomplete: moved aside and created again')
  }
  const unfinished = `${directory}${unfinishedMark}${newId()}`
  await makeEmpty(launcher, unfinished)
  if (!(await tryTemplate(launcher, unfinished, log)))
    await initdb(launcher, ['-D', unfinished, ...initdbOptions])
  // One sync at the end costs a quarter of initdb's own syncing, and of the file system a tenth of one for each file.
  if (durable) await sync(launcher, unfinished)
  await rename(unfinished, directory)
}

async function makeEmpty({ account }: Launcher, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { mode: 0o700 })
  if (account) await chown(directory, account.uid, account.gid)
}

const unfinishedMark = '.unfinished-'

async function removeUnfinished(directory: string): Promise<void> {
  const parent = dirname(directory)
  const names = await readdir(parent)
  const unfinished = names.filter((name) => name.startsWith(basename(directory) + unfinishedMark))
  for (const name of unfinished) {
    // An initdb whose parent was killed may still write; the next start removes the rest.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

type Found =
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'complete'; readonly version: string }

async function inspect(directory: string): Promise<Found> {
  const names = await readdir(directory).catch(() => undefined)
  if (names === undefined) return { kind: 'missing' }
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => '')
  const hasControl = await access(join(directory, 'global', 'pg_control')).then(
    () => true,
    () => false,
  )
  return version === '' || !hasControl
    ? { kind: 'broken' }
    : { kind: 'complete', version: version.trim() }
}

async function assertVersion(
  launcher: Launcher,
  directory: string,
  version: string,
): Promise<void> {
  const ours = /\d+/.exec(await versionOf(launcher))?.[0]
  if (ours === version) return
  throw new EmbeddedPostgresError(
    `${directory} was made by PostgreSQL ${version}, this is ${ours}: move it with pg_upgrade or a dump, or install the release of Countersign that made it`,
  )
}

async function sync(launcher: Launcher, directory: string): Promise<void> {
  const args = ['-D', directory, '--sync-only']
  if (process.platform !== 'linux') return initdb(launcher, args)
  // Another file of the file system may be what cannot be written.
  await initdb(launcher, [...args, '--sync-method=syncfs']).catch(() => initdb(launcher, args))
}

const initdbOptions = [
  `--username=${embeddedName}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-sync',
  '--no-instructions',
]

/** By platform, a database that was made and migrated with the bundle; none beside sources. */
const templates = fileURLToPath(new URL('../../../postgres', import.meta.url))

/**
 * Unpacks the template into an empty directory, which saves initdb and all migrations at a first start. False, with the directory
 * empty, if there is none for this PostgreSQL or it cannot be used.
 */
async function tryTemplate(launcher: Launcher, directory: string, log: Log): Promise<boolean> {
  const { platform, arch } = process
  const { account } = launcher
  const file = join(templates, `${platform}-${arch}.zst`)
  if (!existsSync(file) || !(await canShareMemory(launcher))) return false
  try {
    const version = await versionOf(launcher)
    return await unpackCluster(file, directory, { platform, arch, version, account })
  } catch (error) {
    log.warn({ err: error }, 'cannot unpack the database template, running initdb instead')
    await makeEmpty(launcher, directory)
    return false
  }
}

/** A template shares memory in /dev/shm; initdb finds another way where the server may not write there. */
async function canShareMemory({ account }: Launcher): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    await access('/dev/shm', constants.W_OK)
    return account === undefined || ((await stat('/dev/shm')).mode & 0o002) !== 0
  } catch {
    return false
  }
}

/** What `postgres -V` says. */
export async function versionOf(launcher: Launcher): Promise<string> {
  const { file, args, options } = launcher.command('postgres', ['-V'])
  return await runCommand(file, args, options)
}

async function initdb(launcher: Launcher, args: readonly string[]): Promise<void> {
  const { file, args: all, options } = launcher.command('initdb', args)
  try {
    await runCommand(file, all, options)
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
    throw new EmbeddedPostgresError(`initdb failed: ${stderr || String(cause)}`, { cause })
  }
}
