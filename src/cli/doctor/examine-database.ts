import { access, mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { sql } from 'kysely'
import { explainError } from '../../app/logs/explain-error.ts'
import { hasDatabase, reachServer, type Server } from '../../app/reach-server.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { type Connection, openDatabase } from '../../db/database.ts'
import { readRunFile } from '../../db/embedded/run-file.ts'
import { appRole } from '../../db/roles/grant-roles.ts'
import type { Db, Schema } from '../../db/schema.ts'
import {
  checkClock,
  checkMigrations,
  checkProcesses,
  checkServer,
  checkVerification,
} from './check-database.ts'
import { checkQueue } from './check-queue.ts'
import { checkApprovers, checkAuditRights, checkTableRights } from './check-rights.ts'
import { checkServers, checkTrust } from './check-rules.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Runs all checks of the database; a single failure if it cannot be reached. */
export async function examineDatabase(
  place: TrialEnvironment,
  environment: Environment,
): Promise<readonly Finding[]> {
  const { config } = place
  try {
    await using server = await reachServer(config, environment)
    await using database = openDatabase<Schema>(server.connection, { max: 2 })
    const { db } = database
    const words = await describe(server, place)
    const isNew = place.isTemporary && server.kind !== 'given'
    return [
      await checkServer(db, words),
      ...(isNew ? [untouched] : await checkTables(db, server, config)),
      ...(await checkQueue(config, db, server.connection)),
      await checkClock(db),
    ]
  } catch (error) {
    return [fail('database', describeError(error), mendFor(config))]
  }
}

const untouched = ok('migrations', 'are run at the first start')

function mendFor({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl !== undefined) return 'start that server, or correct DATABASE_URL'
  return `postgres.log in ${dataDir} may say more; or set DATABASE_URL to a PostgreSQL of your own`
}

async function describe(
  { kind }: Server,
  { config, isTemporary }: TrialEnvironment,
): Promise<string> {
  if (kind === 'given') return 'at DATABASE_URL'
  const { mode } = (await readRunFile(config.dataDir)) ?? {}
  const when = kind === 'running' ? 'in use by the product' : 'started for this check'
  const how = mode === undefined ? '' : `; ${modes[mode]}`
  return `our own, ${isTemporary ? 'tried in a temporary directory' : when}${how}`
}

/** Descriptions of the modes of the embedded PostgreSQL (DECISIONS 12). */
const modes = {
  plain: 'plain: it runs as this user',
  'user-namespace': 'user-namespace: this user is root, and it runs in a namespace where it is not',
  copied: 'copied: this user is root, and it runs as nobody from a copy in /var/lib/countersign',
}

async function checkTables(db: Db, server: Server, config: Config): Promise<readonly Finding[]> {
  const migrations = await checkMigrations(db)
  const audit = await asProduct(db, server, checkAuditRights)
  if (migrations.level !== 'ok') return [migrations, audit]
  const tables = await asProduct(db, server, checkTableRights)
  if (tables.level !== 'ok') return [migrations, audit, tables]
  const people = await checkApprovers(db, config)
  const chain = await checkVerification(db, config.audit.verifyEveryMs)
  const rest = [
    await checkTrust(db),
    ...(await checkServers(db)),
    ...(await checkProcesses(db)),
    ...people,
  ]
  return [migrations, audit, chain, tables, ...rest]
}

/** Runs a check as the product's role rather than as the owner, in an embedded database. */
async function asProduct(
  db: Db,
  { kind, connection }: Server,
  check: (db: Db) => Promise<Finding>,
): Promise<Finding> {
  if (kind === 'given' || 'url' in connection || !(await hasRole(db))) return check(db)
  const ofProduct: Connection = { ...connection, user: appRole }
  await using product = openDatabase<Schema>(ofProduct, { max: 1 })
  return await check(product.db)
}

async function hasRole(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${appRole}`.execute(db)
  return rows.length > 0
}

/** Runs a check and turns an exception into a failed finding. */
export async function guarded(
  what: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [fail(what, describeError(error), 'mend this, then run countersign doctor again')]
  }
}

/** Formats an error in one line. */
function describeError(error: unknown): string {
  const said = explainError(error) ?? error
  return said instanceof Error ? said.message : String(said)
}

/** Environment in which database and sandbox are tried. Disposing removes temporary files. */
interface TrialEnvironment extends AsyncDisposable {
  readonly config: Config
  /** True if it replaces a data directory that was never used. */
  readonly isTemporary: boolean
}

/** Opens the product's data directory if it was used, otherwise a temporary one, so that checking changes nothing. */
export async function openTrialEnvironment(config: Config): Promise<TrialEnvironment> {
  if (await wasUsed(config)) {
    return { config, isTemporary: false, [Symbol.asyncDispose]: async () => undefined }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-doctor-'))
  return {
    config: { ...config, dataDir },
    isTemporary: true,
    [Symbol.asyncDispose]: async () => {
      await removeCopy(join(dataDir, 'postgres'))
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function wasUsed({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl === undefined) return hasDatabase(dataDir)
  return access(dataDir).then(
    () => true,
    () => false,
  )
}

/** Removes the copy of the database that root without user namespaces keeps behind a link. */
async function removeCopy(link: string): Promise<void> {
  const copy = await readlink(link).catch(() => '')
  const directory = dirname(copy)
  if (!isAbsolute(copy) || !/^[0-9a-f]{16}$/.test(basename(directory))) return
  await rm(directory, { recursive: true, force: true })
}
