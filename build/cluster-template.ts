import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { createPostgresQueue } from '../src/adapters/queue/create-postgres-queue.ts'
import { openDatabase, openPool } from '../src/db/database.ts'
import { packCluster } from '../src/db/embedded/cluster-template.ts'
import { versionOf } from '../src/db/embedded/ensure-cluster.ts'
import { EmbeddedPostgresError } from '../src/db/embedded/errors.ts'
import { chooseLauncher } from '../src/db/embedded/launcher.ts'
import { locateBinaries } from '../src/db/embedded/locate-binaries.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../src/db/migrate.ts'
import { grantAppRole } from '../src/db/roles/grant-roles.ts'
import type { Schema } from '../src/db/schema.ts'
import { isConnectionLoss } from '../src/util/has-code.ts'
import { silentLog } from '../src/util/log.ts'
import { digestOf } from './made-folder.ts'

const walFiles = z.tuple([z.object({ name: z.string() })])

/** What a database of a first start is made of, from the checkout. */
const sources = [
  'build/cluster-template.ts',
  'migrations',
  'package-lock.json',
  'src/adapters/queue',
  'src/db',
]

/** Beside the template: the digest of what it was made of. */
const digestFile = 'sources.sha256'

/**
 * Writes the database of a first start for this platform into `folder`: made, migrated, with the tables of the queue, and stopped.
 * Takes it from `former` if that was made of the present sources. Where PostgreSQL cannot run, it says so, and first starts make
 * their database themselves.
 */
export async function writeClusterTemplate(
  root: string,
  { folder, former }: { readonly folder: string; readonly former: string },
): Promise<void> {
  const digest = `${digestOf(root, sources)} ${process.platform}-${process.arch}\n`
  const recorded = await readFile(join(former, digestFile), 'utf8').catch(() => '')
  if (recorded === digest) return await cp(former, folder, { recursive: true })
  await makeTemplate(folder)
  if (existsSync(folder)) await writeFile(join(folder, digestFile), digest)
}

async function makeTemplate(folder: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-template-'))
  try {
    const segment = await makeCluster(dataDir)
    const directory = await realpath(join(dataDir, 'postgres'))
    await removePassing(directory, segment)
    const { platform, arch } = process
    const version = await versionIn(dataDir)
    await mkdir(folder)
    const packed = await packCluster(directory, { platform, arch, version })
    await writeFile(join(folder, `${platform}-${arch}.zst`), packed)
  } catch (error) {
    const isOfSystem = error instanceof Error && ('syscall' in error || isConnectionLoss(error))
    if (!isOfSystem && !(error instanceof EmbeddedPostgresError)) throw error
    process.stderr.write(`No database for first starts is made: ${error.message}\n`)
  } finally {
    // Where root runs PostgreSQL as another user, it lies elsewhere.
    const directory = await realpath(join(dataDir, 'postgres')).catch(() => undefined)
    if (directory !== undefined) await rm(dirname(directory), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Makes the database; answers the only segment of the log that a start after the stop reads. */
async function makeCluster(dataDir: string): Promise<string> {
  await using postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
  await using database = openDatabase<Schema>(postgres.connection)
  await migrateToLatest(database.db)
  await grantAppRole(database.db)
  const pool = openPool(postgres.connection, { max: 2, searchPath: 'bullmq' })
  await (await createPostgresQueue({ pool, log: silentLog }))[Symbol.asyncDispose]()
  for (const statement of ['vacuum (full, analyze)', 'select pg_switch_wal()', 'checkpoint'])
    await pool.query(statement)
  const { rows } = await pool.query('select pg_walfile_name(pg_current_wal_lsn()) as name')
  await pool.end()
  return walFiles.parse(rows)[0].name
}

/** Removes what a stopped server does not need: options of its last run, and other segments of the log. */
async function removePassing(directory: string, segment: string): Promise<void> {
  const log = await readdir(join(directory, 'pg_wal'))
  const others = log.filter((name) => /^[0-9A-F]{24}$/.test(name) && name !== segment)
  const passing = ['postmaster.opts', ...others.map((name) => join('pg_wal', name))]
  for (const name of passing) await rm(join(directory, name), { force: true })
}

async function versionIn(dataDir: string): Promise<string> {
  return versionOf(await chooseLauncher(dataDir, await locateBinaries(join(dataDir, 'lib'))))
}
