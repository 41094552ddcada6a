import type { Secret } from '../config/secrets.ts'
import { openDatabase } from '../db/database.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { grantAppRole } from '../db/roles.ts'
import type { Db, Schema } from '../db/schema.ts'
import { CommandError } from './command-error.ts'
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
  else if (config.appDatabaseUrl !== undefined) await grant(db, config.appDatabaseUrl)
  return steps
}

/** AUD-02: what gateways and agents connect as can add to the audit, and no more. */
async function grant(db: Db, url: Secret): Promise<void> {
  const { username, password } = new URL(url.reveal())
  const login = { role: decodeURIComponent(username), password: decodeURIComponent(password) }
  if (login.role === '' || login.password === '') throw failed('it names no user, or no password')
  try {
    await grantAppRole(db, login)
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error), error)
  }
}

function failed(why: string, cause?: unknown): CommandError {
  return new CommandError(
    `the role of COUNTERSIGN_APP_DATABASE_URL cannot be made: ${why}. The steps of the database are taken.`,
    { cause },
  )
}
