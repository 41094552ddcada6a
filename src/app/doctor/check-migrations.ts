import type { Db } from '../../db/schema.ts'
import { pendingMigrations } from '../pending-migrations.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Whether the tables are those of this version. */
export async function checkMigrations(db: Db): Promise<Finding> {
  const { missing, unknown } = await pendingMigrations(db)
  if (unknown.length > 0) {
    const finding = `the database is of a newer version (${unknown.at(-1)})`
    return fail('migrations', finding, 'install the version that was here before')
  }
  if (missing.length === 0) return ok('migrations', 'up to date')
  const finding = `${missing.length} to do, the first is ${missing[0]}`
  return warn('migrations', finding, 'run countersign migrate; start does it too')
}
