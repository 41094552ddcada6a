import { makeAppRole } from '../../app/make-app-role.ts'
import { reachServer } from '../../app/reach-server.ts'
import type { CommandInput } from '../../app/with-database.ts'
import { openDatabase } from '../../db/database.ts'
import { assertOurs, readLineage } from '../../db/lineage/compare-lineage.ts'
import { migrateToLatest, migrationNames } from '../../db/migrate.ts'
import { grantAppRole } from '../../db/roles/grant-roles.ts'
import type { Schema } from '../../db/schema.ts'
import { CommandError } from '../../domain/command-error.ts'

export interface Migrated {
  /** Migrations that were applied, oldest first. */
  readonly steps: readonly string[]
  /** Sentences about other changes. */
  readonly notes: readonly string[]
}

/**
 * Migrates the database to this version, creating an embedded one if needed. Throws if a running product uses an embedded
 * database that needs a migration.
 */
export async function migrate({ config, environment }: CommandInput): Promise<Migrated> {
  await using server = await reachServer(config, environment)
  await using database = openDatabase<Schema>(server.connection, { max: 2 })
  const { db } = database
  if (server.kind === 'running') {
    const missing = assertOurs(await readLineage(db, await migrationNames()))
    if (missing.length === 0) return { steps: [], notes: [] }
    throw new CommandError(
      `Countersign is running in ${config.dataDir} with an older version: stop it, then migrate or just start this one`,
      { code: 'ALREADY_RUNNING' },
    )
  }
  const notes: string[] = []
  const steps = await migrateToLatest(db, { note: (sentence) => notes.push(sentence) })
  if (server.kind === 'started') await grantAppRole(db)
  else if (config.appDatabaseUrl !== undefined) await makeAppRole(db, config.appDatabaseUrl)
  return { steps, notes }
}
