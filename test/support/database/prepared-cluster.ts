import { execFile } from 'node:child_process'
import { appendFile, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '../../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { silentLog } from '../../../src/util/log.ts'

const run = promisify(execFile)

/**
 * Makes PostgreSQL's directory as a first start does, migrated and stopped, to be copied where a test is not about first
 * starts. Answers the directory; undefined where PostgreSQL runs from a place outside of `dataDir`.
 */
export async function prepareCluster(dataDir: string): Promise<string | undefined> {
  await migrateIn(dataDir)
  const directory = join(dataDir, 'postgres')
  if ((await lstat(directory)).isSymbolicLink()) return undefined
  await appendFile(join(directory, 'postgresql.conf'), settings)
  return directory
}

/** What kill -9 leaves is the same without it: only a power cut loses what was written, and no test makes one. */
const settings = '\nfsync = off\n'

async function migrateIn(dataDir: string): Promise<void> {
  await using postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
  await using database = openDatabase(postgres.connection)
  await migrateToLatest(database.db)
}

/** Gives a new data directory a copy of such a directory; what starts over it finds its database there. */
export async function copyCluster(from: string | undefined, dataDir: string): Promise<void> {
  if (from !== undefined) await run('cp', ['-Rp', from, join(dataDir, 'postgres')])
}
