import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createPostgresQueue } from '../../../src/adapters/queue/create-postgres-queue.ts'
import { openDatabase, openPool } from '../../../src/db/database.ts'
import { DataDirectoryInUse } from '../../../src/db/embedded/errors.ts'
import type { SocketConnection } from '../../../src/db/embedded/socket-directory.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../../src/db/migrate.ts'
import { silentLog } from '../../../src/util/log.ts'
import { compileCache } from '../database/compile-cache.ts'
import { inMemory, memoryPlace } from '../database/memory-place.ts'
import { copyCluster, prepareCluster } from '../database/prepared-cluster.ts'
import { templateDatabase, usedTemplateDatabase } from '../database/template-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of this run of the tests; its database is for maintenance. */
    postgres: SocketConnection
    /** A database's directory as a first start makes it, where it can be copied. */
    preparedCluster: string | undefined
  }
}

/** The database of the run, how many projects use it, and how to stop it. */
interface Running {
  users: number
  readonly started: Promise<{
    readonly connection: SocketConnection
    readonly cluster: string | undefined
    readonly stop: () => Promise<void>
  }>
}

/** Each project loads this module anew, in one process: they share the database of the run by this. */
const shared = globalThis as { countersignRun?: Running | undefined }

/**
 * Starts one PostgreSQL for the whole run with its first project, with a migrated database to clone and a directory of
 * one to copy; the last project to end stops it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.countersignRun ??= { users: 0, started: start() }
  const running = shared.countersignRun
  running.users += 1
  const { connection, cluster, stop } = await running.started
  project.provide('postgres', connection)
  project.provide('preparedCluster', cluster)
  return async () => {
    running.users -= 1
    if (running.users > 0) return
    shared.countersignRun = undefined
    await stop()
  }
}

async function start(): Promise<Awaited<Running['started']>> {
  // The workers of the run take it over.
  Object.assign(process.env, compileCache)
  // Also where there is no room any more, for want of this.
  for (const place of new Set([inMemory, tmpdir()]))
    if (existsSync(place)) await removeLeftovers(place)
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(await memoryPlace(), prefix))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const cluster = await prepareCluster(join(dataDir, 'prepared'))
  await copyCluster(cluster, dataDir)
  const { connection } = starting.use(
    await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false }),
  )
  await makeTemplates(connection)
  const running = starting.move()
  return { connection, cluster, stop: () => running.disposeAsync() }
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
