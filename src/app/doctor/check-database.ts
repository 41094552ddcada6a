import { sql } from 'kysely'
import { databaseTime } from '../../db/audit-log.ts'
import { waysToChangeAudit } from '../../db/roles/ways-to-change-audit.ts'
import type { Db } from '../../db/schema.ts'
import { pendingMigrations } from '../pending-migrations.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const oldestMajor = 14

/** The version of the server, and whether the product may be served by it. */
export async function checkServer(db: Db, words: string): Promise<Finding> {
  const { rows } = await sql<{ version: string; number: number }>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int as number`.execute(db)
  const { version = '', number = 0 } = rows[0] ?? {}
  const finding = `PostgreSQL ${version.split(' ')[0]}, ${words}`
  if (number >= oldestMajor * 10_000) return ok('database', finding)
  return fail('database', `${finding}, is too old`, `use PostgreSQL ${oldestMajor} or newer`)
}

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

/** AUD-02: whether rights alone keep the product from changing what it recorded. */
export async function checkAuditRights(db: Db): Promise<Finding> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('audit_log') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return ok('audit', 'nothing is recorded yet')
  const ways = await waysToChangeAudit(db)
  if (ways.length === 0) return ok('audit', 'the role of the product cannot change it')
  const finding = `the role of the product ${ways.join(', ')}: only a trigger keeps it from being changed, which is weaker`
  return warn(
    'audit',
    finding,
    'let migrate make a role: COUNTERSIGN_APP_DATABASE_URL in docs/deploy.md',
  )
}

/** INT-40: jobs signed by a clock that is far away are refused. */
export async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now()
  const there = await databaseTime(db)
  const here = (before + Date.now()) / 2
  const skewMs = Math.round(Math.abs(there.getTime() - here))
  const finding = `this machine and the database differ by ${(skewMs / 1000).toFixed(1)} s`
  const mend = 'let both follow a time server'
  if (skewMs > 60_000) return fail('clock', `${finding}: signed jobs are refused`, mend)
  if (skewMs > 5000) return warn('clock', finding, mend)
  return ok('clock', finding)
}
