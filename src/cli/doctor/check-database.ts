import { sql } from 'kysely'
import { differingRules } from '../../core/call/gate/file-rules.ts'
import { databaseTime } from '../../db/audit/audit-log.ts'
import { findLastVerification } from '../../db/audit/audit-verifications.ts'
import { type Lineage, type OtherLineage, readLineage } from '../../db/lineage/compare-lineage.ts'
import { migrationNames } from '../../db/migrate.ts'
import type { Db, WorkerRow } from '../../db/schema.ts'
import { findLiveAgents } from '../../db/worker/agents.ts'
import { findAllLiveReplicas } from '../../db/worker/workers.ts'
import { english } from '../../domain/messages/messages.ts'
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
  const fix = 'let both follow a time server'
  if (skewMs > 60_000) return fail('clock', `${finding}: signed jobs are refused`, fix)
  if (skewMs > 5000) return warn('clock', finding, fix)
  return ok('clock', finding)
}

/** Whether the tables are those of this version. */
export async function checkMigrations(db: Db): Promise<Finding> {
  return toFinding(await readLineage(db, await migrationNames()))
}

function toFinding(lineage: Lineage): Finding {
  if (lineage.kind === 'newer') {
    const finding = `the database is of a newer version (${lineage.unknown.at(-1)})`
    return fail('migrations', finding, 'install the version that was here before')
  }
  if (lineage.kind === 'unfinished') {
    return fail('migrations', 'a restore was broken off', 'run countersign restore again')
  }
  if (lineage.kind === 'other') {
    const finding = `the database was made by another line of versions (${firstDifference(lineage)})`
    return fail(
      'migrations',
      finding,
      'run countersign migrate: it says how to take the data along',
    )
  }
  const { missing } = lineage
  if (missing.length === 0) return ok('migrations', 'up to date')
  const finding = `${missing.length} to do, the first is ${missing[0]}`
  return warn('migrations', finding, 'run countersign migrate; start does it too')
}

function firstDifference({ unknown, skipped, changed }: OtherLineage): string | undefined {
  return [...unknown, ...skipped, ...changed][0]
}

/** Checks live agents and workers, and clocks that would cause jobs to be refused (INT-40). */
export async function checkProcesses(db: Db): Promise<readonly Finding[]> {
  const agents = await findLiveAgents(db)
  const replicas = await findAllLiveReplicas(db)
  if (agents.length + replicas.length === 0) return [ok('processes', 'none is running')]
  return [
    agents.length > 0
      ? ok('agents', `${agents.length} running, with ${agents[0]?.model}`)
      : warn('agents', 'none is running', 'start countersign agent: nothing is answered without'),
    ...(await differingRules(db, english)).map(({ finding, fix }) => warn('rules', finding, fix)),
    ...checkWorkers(replicas),
  ]
}

function checkWorkers(replicas: readonly WorkerRow[]): readonly Finding[] {
  if (replicas.length === 0) {
    return [warn('workers', 'none is running', 'start countersign worker: no tool runs without')]
  }
  const names = Map.groupBy(replicas, ({ name }) => name)
  return [...names].flatMap(([name, of]) => [
    ok('workers', `"${name}": ${of.length} running, sandbox ${driversOf(of)}`),
    ...of.flatMap(checkSkew),
  ])
}

function driversOf(replicas: readonly WorkerRow[]): string {
  return [...new Set(replicas.map(({ driver }) => driver))].join(' and ')
}

function checkSkew({ name, replica, seen_at, said_at }: WorkerRow): readonly Finding[] {
  if (said_at === null) return []
  const skewMs = Math.abs(said_at.getTime() - seen_at.getTime())
  const seconds = (skewMs / 1000).toFixed(1)
  const finding = `that of worker "${name}" (${replica}) differs from the database’s by ${seconds} s`
  const fix = 'let its machine follow a time server'
  if (skewMs > 60_000) return [fail('clock', `${finding}: it refuses signed jobs`, fix)]
  return skewMs > 5_000 ? [warn('clock', finding, fix)] : []
}

const what = 'audit chain'
const see = 'see whether an agent runs, and what its log says'
const notYet = ok(what, 'has not been verified yet; an agent does it')
const never = warn(what, 'was never verified, though rows are older than [audit] verify_every', see)
/** Allowed multiple of the interval: a verification takes time, and an agent may have just started. */
const lateAfter = 2

/** AUD-02: reports the result and age of the last scheduled verification of the audit. */
export async function checkVerification(db: Db, everyMs: number): Promise<Finding> {
  if (everyMs === 0) return warn(what, 'is not verified on a schedule', 'set [audit] verify_every')
  const last = await findLastVerification(db)
  if (last === undefined) return (await hasOlderRow(db, everyMs)) ? never : notYet
  const when = `${last.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (last.broken > 0) {
    const found = `did not verify: ${last.broken} findings at ${when}`
    return fail(
      what,
      found,
      'countersign audit verify names them; docs/how-to/read-the-audit.md says what to do',
    )
  }
  const { rows } = await sql<{ late: boolean }>`
    select ${last.at} < now() - make_interval(secs => ${(everyMs / 1000) * lateAfter}) as late`.execute(
    db,
  )
  const text = `${last.rows} rows in ${last.chains} chains verified at ${when}`
  if (rows[0]?.late !== true) return ok(what, text)
  return warn(what, `${text}, which is late`, see)
}

async function hasOlderRow(db: Db, ms: number): Promise<boolean> {
  const row = await db
    .selectFrom('audit_log')
    .select('seq')
    .where('at', '<', sql<Date>`now() - make_interval(secs => ${ms / 1000})`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
