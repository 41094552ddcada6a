import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyChains } from '../../core/audit/verify-chains.ts'
import { findOthers, lookInto } from '../../db/backup/reset-database.ts'
import { endRestore, isRestoreUnfinished } from '../../db/backup/unfinished-restore.ts'
import { inSnapshot, openDatabase } from '../../db/database.ts'
import { lockDataDirectory } from '../../db/embedded/lock-data-directory.ts'
import { grantAppRole } from '../../db/roles/grant-roles.ts'
import type { Db, Schema } from '../../db/schema.ts'
import type { ReadEntry } from '../../util/tar/read-tar.ts'
import { CommandError } from '../command-error.ts'
import { loadVerifyKeys } from '../load-verify-keys.ts'
import { makeAppRole } from '../make-app-role.ts'
import type { CommandInput } from '../open-beside.ts'
import { reachServer, type Server } from '../reach-server.ts'
import { signatureCheck } from '../verify-audit.ts'
import { dataParts } from './manifest.ts'
import { checkBackup, contentOf, readBackup } from './open-backup.ts'
import { probePlaces } from './probe-places.ts'
import { restoreDatabase, stepsFor } from './restore-database.ts'
import { createFileRestorer, removeData } from './restore-files.ts'
import { keyPlace, restoreKey } from './restore-keys.ts'
import { settleRestored } from './settle-restored.ts'

export interface RestoreInput extends CommandInput {
  /** Absolute. */
  readonly file: string
  /** Replaces what is there. */
  readonly force: boolean
  /** Nothing ran since the backup was made: what was under way goes on. */
  readonly isMoved: boolean
  /** Takes along what a backup of another line of versions has in common with this one. */
  readonly byColumn: boolean
}

/** What was done. */
export interface Restored {
  readonly madeAt: string
  readonly stoppedTurns: number
  readonly auditRows: number
  /** Faults of the audit, each in words. */
  readonly broken: readonly string[]
  /** Sentences that somebody should know. */
  readonly notes: readonly string[]
}

/**
 * Puts a backup into an empty database and data directory. Reads it to its end first and changes nothing where it is damaged, of
 * a newer version, where something is there already, or while something runs. Broken off, it leaves a database on which
 * nothing starts but another restore.
 */
export async function restoreBackup(input: RestoreInput): Promise<Restored> {
  const { config, environment, file } = input
  const backup = await checkBackup(file)
  const { manifest } = backup
  const steps = await stepsFor(manifest, input.byColumn)
  if (input.isMoved && !manifest.quiet) throw new CommandError(notQuiet)
  await using server = await reachServer(config, environment)
  await using _ = await holdDirectory(server, config.dataDir)
  const options = { max: 3, applicationName: 'countersign restore' }
  await using database = openDatabase<Schema>(server.connection, options)
  const { db } = database
  const isAgain = await isRestoreUnfinished(db)
  await assertFree(db, input, isAgain)
  await probePlaces(config, backup.keys)
  const entries = readBackup(file)
  const { byColumn } = input
  const restored = await restoreDatabase({ db, backup, file, steps, byColumn }, entries)
  const notes = restored.lacking.map(
    (name) => `left out, since this version has no such place: ${name}`,
  )
  if (input.force || isAgain) await removeData(config.dataDir)
  notes.push(...(await restoreFiles(input, restored.next, entries)))
  if (server.kind === 'started') await grantAppRole(db)
  else if (config.appDatabaseUrl !== undefined) await makeAppRole(db, config.appDatabaseUrl)
  const by = `console:${environment.user}`
  const { isMoved } = input
  const madeAt = manifest.made_at
  const stoppedTurns = await settleRestored({ config, db, madeAt, by, isMoved })
  const report = await verify(db, input)
  await endRestore(db)
  return { madeAt, stoppedTurns, ...report, notes }
}

const notQuiet =
  'the backup was made while the product ran, so what was under way may have gone on after it: leave out --moved'

/** Held already where the embedded server was started in it. */
async function holdDirectory(server: Server, dataDir: string): Promise<AsyncDisposable> {
  if (server.kind === 'started') return { [Symbol.asyncDispose]: async () => undefined }
  if (server.kind === 'given') return await lockDataDirectory(dataDir)
  throw new CommandError(`Countersign is running in ${dataDir}: stop it, then restore`)
}

async function assertFree(
  db: Db,
  { config, force }: RestoreInput,
  isAgain: boolean,
): Promise<void> {
  const others = await findOthers(db)
  if (others.length > 0) {
    throw new CommandError(
      `processes use this database (${others.join(', ')}): stop them, then restore`,
    )
  }
  const contents = await lookInto(db)
  if (contents === 'foreign') {
    throw new CommandError(
      'the database holds tables of something else: restore needs one of its own',
    )
  }
  if (force || isAgain) return
  if (contents === 'data') throw new CommandError(`the database holds data already: ${useForce}`)
  for (const part of dataParts.filter((name) => name !== 'journal')) {
    const path = join(config.dataDir, part)
    const names = await readdir(path).catch(() => [])
    if (names.length > 0) throw new CommandError(`there are files in ${path} already: ${useForce}`)
  }
}

const useForce = 'restore into another one, or replace it with --force. Nothing was changed.'

async function restoreFiles(
  { config }: RestoreInput,
  first: IteratorResult<ReadEntry, void>,
  entries: AsyncIterator<ReadEntry, void>,
): Promise<readonly string[]> {
  const notes: string[] = []
  const files = createFileRestorer(config.dataDir)
  for (let next = first; next.done !== true; next = await entries.next()) {
    const { path } = next.value.entry
    if (path.startsWith('data/')) await files.add(next.value)
    else if (path.startsWith('keys/')) {
      const place = keyPlace(config, path.slice('keys/'.length))
      const note = place && (await restoreKey(place, await contentOf(next.value)))
      if (note !== undefined) notes.push(note)
    }
  }
  await files.finish()
  return notes
}

async function verify(
  db: Db,
  { config }: RestoreInput,
): Promise<Pick<Restored, 'auditRows' | 'broken'>> {
  const check = signatureCheck(await loadVerifyKeys(config), new Set())
  const { rows, broken } = await inSnapshot(db, (view) => verifyChains(view, check))
  return {
    auditRows: rows,
    broken: broken.map(({ chain, seq, why }) => `${chain}, row ${seq}: ${why}`),
  }
}
