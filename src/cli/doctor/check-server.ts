import { sql } from 'kysely'
import { databaseTime } from '../../db/audit/audit-log.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const oldestMajor = 14

/** Checks the version of the PostgreSQL server. */
export async function checkServer(db: Db, words: string): Promise<Finding> {
  const { rows } = await sql<{ version: string; number: number }>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int as number`.execute(db)
  const { version = '', number = 0 } = rows[0] ?? {}
  const finding = `PostgreSQL ${version.split(' ')[0]}, ${words}`
  if (number >= oldestMajor * 10_000) return ok('database', finding)
  return fail('database', `${finding}, is too old`, `use PostgreSQL ${oldestMajor} or newer`)
}

/** INT-40: checks the clocks, since jobs signed with a large difference are refused. */
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
