import { openDatabase } from '../db/database.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { grantAppRole } from '../db/roles/grant-roles.ts'
import type { Schema } from '../db/schema.ts'
import { CommandError } from './command-error.ts'
import { makeAppRole } from './make-app-role.ts'
import type { CommandInput } from './open-beside.ts'
import { pendingMigrations } from './pending-migrations.ts'
import { reachServer } from './reach-server.ts'

/**
 * Brings the database to this version and answers the steps it took, oldest first. An embedded one is made where there
 * is none; one that a running product uses is left alone, and it is an error when it needs a step.
 */
export async function migrate({ config, environment }: CommandInput): Promise<readonly string[]> {
  await using server = await reachServer(config, environment)
  await using database = openDatabase<Schema>(server.connection, { max: 2 })
  const { db } = database
  if (server.kind === 'running') {
    const { missing } = await pendingMigrations(db)
    if (missing.length === 0) return []
    throw new CommandError(
      `Countersign is running in ${config.dataDir} with an older version: stop it, then migrate or just start this one`,
    )
  }
  const steps = await migrateToLatest(db)
  if (server.kind === 'started') await grantAppRole(db)
  else if (config.appDatabaseUrl !== undefined) await makeAppRole(db, config.appDatabaseUrl)
  return steps
}
