import { access, chown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { newId } from '../../util/ids.ts'
import type { Log } from '../../util/log.ts'
import { runCommand } from '../../util/run-command.ts'
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
  await mkdir(unfinished, { mode: 0o700 })
  if (launcher.account) await chown(unfinished, launcher.account.uid, launcher.account.gid)
  await initialise(launcher, unfinished, durable)
  await rename(unfinished, directory)
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
  const { file, args, options } = launcher.command('postgres', ['-V'])
  const ours = /\d+/.exec(await runCommand(file, args, options))?.[0]
  if (ours === version) return
  throw new EmbeddedPostgresError(
    `${directory} was made by PostgreSQL ${version}, this is ${ours}: move it with pg_upgrade or a dump, or install the release of Countersign that made it`,
  )
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

async function initialise(launcher: Launcher, directory: string, durable: boolean): Promise<void> {
  await initdb(launcher, ['-D', directory, ...initdbOptions])
  // One sync at the end costs a quarter of initdb's own syncing.
  if (durable) await initdb(launcher, ['-D', directory, '--sync-only'])
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
