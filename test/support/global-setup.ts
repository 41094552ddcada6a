import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase, openPool } from '../../src/db/database.ts'
import { DataDirectoryInUse } from '../../src/db/embedded/errors.ts'
import type { SocketConnection } from '../../src/db/embedded/socket-connection.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import { createPostgresQueue } from '../../src/edges/queue/create-postgres-queue.ts'
import { silentLog } from '../../src/util/log.ts'
import { fuzzSeed, seedVariable } from './chosen-seed.ts'
import { compileAhead, compileCache } from './compile-cache.ts'
import { inMemory, memoryPlace } from './memory-place.ts'
import { copyCluster, prepareCluster } from './prepared-cluster.ts'
import { templateDatabase, usedTemplateDatabase } from './template-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of this run of the tests; its database is for maintenance. */
    postgres: SocketConnection
    /** A database's directory as a first start makes it, where it can be copied. */
    preparedCluster: string | undefined
  }
}

/** Starts one PostgreSQL for the whole run, with a migrated database to clone, and prepares a directory of one to copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The workers of the run take it over.
  const seed = String(fuzzSeed())
  Object.assign(process.env, compileCache, { [seedVariable]: seed })
  process.stdout.write(`property tests: seed ${seed}; ${seedVariable}=${seed} repeats them\n`)
  // Also where there is no room any more, for want of this.
  for (const place of new Set([inMemory, tmpdir()]))
    if (existsSync(place)) await removeLeftovers(place)
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(await memoryPlace(), prefix))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const [cluster] = await Promise.all([prepareCluster(join(dataDir, 'prepared')), compileAhead()])
  await copyCluster(cluster, dataDir)
  const { connection } = starting.use(
    await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false }),
  )
  await makeTemplates(connection)
  project.provide('postgres', connection)
  project.provide('preparedCluster', cluster)
  const running = starting.move()
  return () => running.disposeAsync()
}

const prefix = 'countersign-run-'

/** A run that was killed leaves its server running: the next one stops it. */
async function removeLeftovers(place: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(prefix))
  for (const name of names) {
    const dataDir = join(place, name)
    // Without a lock it is one that is being made or removed just now.
    if (!existsSync(join(dataDir, 'lock'))) continue
    try {
      await using _ = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
    } catch (error) {
      if (error instanceof DataDirectoryInUse) continue
    }
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function makeTemplates(connection: SocketConnection): Promise<void> {
  await using maintenance = openDatabase(connection)
  const { pool } = maintenance
  await pool.query(`create database ${templateDatabase}`)
  await migrate({ ...connection, database: templateDatabase })
  await pool.query(`create database ${usedTemplateDatabase} template ${templateDatabase}`)
  await makeQueue({ ...connection, database: usedTemplateDatabase })
  for (const name of [templateDatabase, usedTemplateDatabase]) {
    await pool.query(`alter database ${name} with is_template true allow_connections false`)
  }
}

async function migrate(connection: SocketConnection): Promise<void> {
  await using template = openDatabase(connection)
  await migrateToLatest(template.db)
}

async function makeQueue(connection: SocketConnection): Promise<void> {
  const pool = openPool(connection, { searchPath: 'bullmq' })
  const queue = await createPostgresQueue({ pool, log: silentLog })
  await queue[Symbol.asyncDispose]()
  await pool.end()
}
