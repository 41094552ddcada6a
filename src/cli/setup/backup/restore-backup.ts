import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { signatureCheck } from '../../../app/audit/verify-audit.ts'
import { loadVerifyKeys } from '../../../app/keys/load-verify-keys.ts'
import { makeAppRole } from '../../../app/make-app-role.ts'
import { reachServerAlone, type Server } from '../../../app/reach-server.ts'
import type { CommandInput } from '../../../app/with-database.ts'
import { verifyChains } from '../../../core/audit/verify-chains.ts'
import { inOneTransaction } from '../../../db/backup/one-transaction.ts'
import { findOtherConnections, inspectDatabase } from '../../../db/backup/reset-database.ts'
import {
  endRestore,
  holdRestores,
  isRestoreUnfinished,
  unfinishedDirectories,
} from '../../../db/backup/unfinished-restore.ts'
import { type Database, inSnapshot, openDatabase } from '../../../db/database.ts'
import { lockDataDirectory } from '../../../db/embedded/lock-data-directory.ts'
import { grantAppRole } from '../../../db/roles/grant-roles.ts'
import type { Db, Schema } from '../../../db/schema.ts'
import { CommandError } from '../../../domain/command-error.ts'
import type { ReadEntry } from '../../../util/tar/read-tar.ts'
import {
  type CheckedBackup,
  checkBackup,
  contentOf,
  dataParts,
  namedWorkspaces,
  readBackup,
} from './open-backup.ts'
import { keyTarget, probeTargets, type StagedKey, stageKey } from './probe-targets.ts'
import { restoreDatabase, stepsFor } from './restore-database.ts'
import { createFileRestorer } from './restore-files.ts'
import { settleRestored } from './settle-restored.ts'
import { openStagedData, type StagedData } from './staged-data.ts'

export interface RestoreInput extends CommandInput {
  /** Absolute path. */
  readonly file: string
  /** Replaces existing data. */
  readonly force: boolean
  /** True if nothing ran since the backup, so that turns continue. */
  readonly isMoved: boolean
  /** Restores the common columns of a backup from another line of versions. */
  readonly byColumn: boolean
}

/** Result of a restore. */
export interface Restored {
  readonly madeAt: string
  readonly stoppedTurns: number
  /** undefined if the audit could not be verified; a note explains why. */
  readonly auditRows: number | undefined
  /** Problems of the audit. */
  readonly broken: readonly string[]
  /** Sentences for the operator. */
  readonly notes: readonly string[]
}

/**
 * Restores a backup into an empty database and data directory. Reads it completely first, and changes nothing if it is
 * damaged or too new, if there is existing data, or while something runs. Rows are loaded in one transaction, and files
 * are unpacked next to their targets until it commits, so an earlier failure changes nothing. A failure after the commit,
 * while files are renamed, leaves a database on which nothing starts except another restore.
 */
export async function restoreBackup(input: RestoreInput): Promise<Restored> {
  const { config, environment, file } = input
  const backup = await checkBackup(file)
  const { manifest } = backup
  const steps = await stepsFor(manifest, input.byColumn)
  if (input.isMoved && !manifest.quiet)
    throw new CommandError(notQuiet, { code: 'BACKUP_NOT_QUIET' })
  await using server = await reachServerAlone(config, environment)
  await using _ = await holdDirectory(server, config.dataDir)
  const options = { max: 4, applicationName: 'countersign restore' }
  await using database = openDatabase<Schema>(server.connection, options)
  const { db } = database
  await using _restores = await holdRestores(database.pool)
  await assertFree(db, input)
  await probeTargets(config, backup.keys)
  const notes: string[] = []
  const grant = () => grantApp(db, server, config)
  const stoppedTurns = await replace({ ...input, backup, steps, grant }, database, notes)
  return { madeAt: manifest.made_at, stoppedTurns, ...(await tryVerify(db, input, notes)), notes }
}

interface Replacing extends RestoreInput {
  readonly backup: CheckedBackup
  readonly steps: readonly string[]
  /** Grants the product's role its rights again. */
  grant(): Promise<void>
}

/** Replaces rows, files and keys; returns the number of stopped turns. A failure before the commit changes nothing. */
async function replace(
  input: Replacing,
  { db, pool }: Database<Schema>,
  notes: string[],
): Promise<number> {
  const { dataDir } = input.config
  const data = await openStagedData(dataDir)
  const keys: StagedKey[] = []
  try {
    const stoppedTurns = await inOneTransaction<Schema, number>(pool, (transaction) =>
      stage({ ...input, directory: data.directory, keys, notes }, transaction),
    )
    await putInPlace(data, keys, notes)
    await finishing('the role of the product has not its rights', input.grant)
    await endRestore(db)
    notes.push(...workspaceNotes(input))
    return stoppedTurns
  } finally {
    for (const key of keys) await key.discard()
    if (!(await data.clear()))
      notes.push(`some of the old files could not be removed: ${dataDir}/restore.*`)
  }
}

async function putInPlace(
  data: StagedData,
  keys: readonly StagedKey[],
  notes: string[],
): Promise<void> {
  await finishing('files are not yet in their places', async () => {
    await data.put()
    for (const key of keys) notes.push(...[(await key.put()) ?? []].flat())
  })
}

/** Runs work after the commit; errors say what is missing. */
async function finishing(lack: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new CommandError(
      `the database is restored, but ${lack} (${messageOf(cause)}): mend that and run the same restore again. Nothing starts before.`,
      { code: 'RESTORE_FAILED', cause },
    )
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function grantApp(
  db: Db,
  server: Server,
  { appDatabaseUrl }: CommandInput['config'],
): Promise<void> {
  if (server.kind === 'started') await grantAppRole(db)
  else if (appDatabaseUrl !== undefined) await makeAppRole(db, appDatabaseUrl)
}

interface Staging extends Replacing {
  /** Directory into which files are unpacked. */
  readonly directory: string
  /** Collects the keys written next to their targets. */
  readonly keys: StagedKey[]
  readonly notes: string[]
}

/** Loads the rows and unpacks files and keys; returns the number of stopped turns. */
async function stage(input: Staging, db: Db): Promise<number> {
  const { config, environment, backup, isMoved, notes } = input
  const entries = readBackup(input.file)
  const dataDir = await realpath(config.dataDir)
  const { lacking, next } = await restoreDatabase({ ...input, dataDir, db }, entries)
  await restoreFiles(input, next, entries)
  const by = `console:${environment.user}`
  const { made_at: madeAt } = backup.manifest
  const stoppedTurns = await settleRestored({ config, db, madeAt, by, isMoved })
  await assertAlone(db)
  notes.push(...lacking.map((name) => `left out, since this version has no such place: ${name}`))
  return stoppedTurns
}

const notQuiet =
  'the backup was made while the product ran, so what was under way may have gone on after it: leave out --moved'

/** Locks the data directory, unless the embedded server that was started in it already holds the lock. */
async function holdDirectory(server: Server, dataDir: string): Promise<AsyncDisposable> {
  if (server.kind === 'started') return { [Symbol.asyncDispose]: async () => undefined }
  return await lockDataDirectory(dataDir)
}

async function assertFree(db: Db, { config, force }: RestoreInput): Promise<void> {
  await assertAlone(db)
  const contents = await inspectDatabase(db)
  if (contents === 'foreign') {
    throw new CommandError(
      'the database holds tables of something else: restore needs one of its own',
      { code: 'RESTORE_TARGET' },
    )
  }
  if (force) return
  if (contents === 'data' && !(await isRestoreUnfinished(db)))
    throw new CommandError(`the database holds data already: ${useForce}`, {
      code: 'RESTORE_TARGET',
    })
  if (!(await unfinishedDirectories(db)).includes(await realpath(config.dataDir)))
    await assertNoFiles(config.dataDir)
}

/** Refuses existing files. Those of an unfinished restore into this directory are accepted. */
async function assertNoFiles(dataDir: string): Promise<void> {
  for (const part of dataParts.filter((name) => name !== 'journal')) {
    const path = join(dataDir, part)
    const names = await readdir(path).catch(() => [])
    if (names.length > 0)
      throw new CommandError(`there are files in ${path} already: ${useForce}`, {
        code: 'RESTORE_TARGET',
      })
  }
}

async function assertAlone(db: Db): Promise<void> {
  const others = await findOtherConnections(db)
  if (others.length === 0) return
  throw new CommandError(
    `processes use this database (${others.join(', ')}): stop them, then restore. Nothing was changed.`,
    { code: 'DATABASE_IN_USE' },
  )
}

const useForce = 'restore into another one, or replace it with --force. Nothing was changed.'

async function restoreFiles(
  { config, directory, keys }: Staging,
  first: IteratorResult<ReadEntry, void>,
  entries: AsyncIterator<ReadEntry, void>,
): Promise<void> {
  const files = createFileRestorer(directory)
  for (let next = first; next.done !== true; next = await entries.next()) {
    const { path } = next.value.entry
    if (path.startsWith('data/')) await files.add(next.value)
    else if (path.startsWith('keys/')) {
      const place = keyTarget(config, path.slice('keys/'.length))
      if (place !== undefined) keys.push(await stageKey(place, await contentOf(next.value)))
    }
  }
  await files.finish()
}

/** Describes the new location of each named workspace. */
function workspaceNotes({ config, backup }: Replacing): readonly string[] {
  return backup.manifest.named_workspaces.map(({ path, included }) =>
    included === undefined
      ? `the workspace ${path} is not in the backup`
      : `the workspace ${path} is in ${join(config.dataDir, namedWorkspaces, included)}: move it to its place`,
  )
}

type Verified = Pick<Restored, 'auditRows' | 'broken'>

/** Verifies the audit of the restored database. Failures become notes, since everything is already restored. */
async function tryVerify(db: Db, input: RestoreInput, notes: string[]): Promise<Verified> {
  try {
    return await verify(db, input)
  } catch (error) {
    const again = 'mend that and run countersign audit verify'
    notes.push(`the audit could not be verified (${messageOf(error)}): ${again}`)
    return { auditRows: undefined, broken: [] }
  }
}

async function verify(db: Db, { config }: RestoreInput): Promise<Verified> {
  const check = signatureCheck(await loadVerifyKeys(config), new Set())
  const { rows, broken } = await inSnapshot(db, (view) => verifyChains(view, check))
  return {
    auditRows: rows,
    broken: broken.map(({ chain, seq, why }) => `${chain}, row ${seq}: ${why}`),
  }
}
