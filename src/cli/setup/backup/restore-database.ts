import {
  loadPart,
  makeAuditMonths,
  matchTables,
  setSequences,
  withoutForeignKeys,
} from '../../../db/backup/load-tables.ts'
import { resetDatabase } from '../../../db/backup/reset-database.ts'
import { recordRestore } from '../../../db/backup/unfinished-restore.ts'
import { compareLineage } from '../../../db/lineage/compare-lineage.ts'
import { presentSteps } from '../../../db/lineage/history.ts'
import { migrateToLatest, migrationNames } from '../../../db/migrate.ts'
import type { Db } from '../../../db/schema.ts'
import { CommandError } from '../../../domain/command-error.ts'
import type { ReadEntry } from '../../../util/tar/read-tar.ts'
import { type CheckedBackup, contentOf, type Manifest } from './open-backup.ts'

/** Returns the migrations that create the tables of a backup. Throws CommandError if this version cannot restore it. */
export async function stepsFor(
  { steps: done, program }: Manifest,
  byColumn: boolean,
): Promise<readonly string[]> {
  const known = await migrationNames()
  const lineage = compareLineage({ known, done })
  if (lineage.kind === 'newer') {
    const last = lineage.unknown.at(-1)
    throw new CommandError(
      `the backup is of a newer version (${program}), whose database took the step ${last}: restore it by that version. Nothing was changed.`,
      { code: 'BACKUP_NEWER' },
    )
  }
  if (byColumn) return known
  if (lineage.kind === 'other') {
    const steps = [...lineage.unknown, ...lineage.skipped].join(', ')
    throw new CommandError(
      `the backup is of another line of versions, which differs in ${steps}: --by-column takes along what both have. Nothing was changed.`,
      { code: 'BACKUP_OTHER_LINEAGE' },
    )
  }
  const taken = presentSteps(done)
  return known.filter((step) => taken.has(step))
}

export interface DatabaseRestore {
  /** Transaction, which is rolled back if the restore fails. */
  readonly db: Db
  readonly backup: CheckedBackup
  /** Name of the backup, recorded in the database. */
  readonly file: string
  /** Data directory that is replaced, recorded in the database. */
  readonly dataDir: string
  readonly steps: readonly string[]
  readonly byColumn: boolean
}

/** The entry after the rows, and the tables and columns that could not be restored. */
export interface DatabaseRestored {
  readonly next: IteratorResult<ReadEntry, void>
  readonly lacking: readonly string[]
}

/**
 * Empties the database, loads the rows into tables as of the backup, and applies later migrations. Between the commit and
 * `endRestore` the database is marked as being restored.
 */
export async function restoreDatabase(
  { db, backup, file, dataDir, steps, byColumn }: DatabaseRestore,
  entries: AsyncIterator<ReadEntry, void>,
): Promise<DatabaseRestored> {
  const { manifest, end } = backup
  await resetDatabase(db)
  await recordRestore(db, { backup: file, dataDir })
  await migrateToLatest(db, { steps, isRestore: true })
  const loaded = await withoutForeignKeys(db, async () => {
    const fit = await matchTables(db, manifest.tables)
    if (fit.lacking.length > 0 && !byColumn) throw lacks(fit.lacking)
    await makeAuditMonths(db, manifest.audit_months)
    const rows: Record<string, number> = {}
    // The manifest was read before.
    await entries.next()
    let next = await entries.next()
    for (; isRows(next); next = await entries.next()) {
      const table = tableOf(next.value.entry.path)
      const lines = await contentOf(next.value)
      rows[table] = (rows[table] ?? 0) + (await loadPart(db, fit, { table, lines }))
    }
    if (!byColumn) assertAll(rows, end.rows)
    await setSequences(db, manifest.sequences)
    return { next, lacking: fit.lacking }
  })
  await migrateToLatest(db, { isRestore: true })
  return loaded
}

function isRows(next: IteratorResult<ReadEntry, void>): next is IteratorYieldResult<ReadEntry> {
  return next.done !== true && next.value.entry.path.startsWith('database/')
}

/** Extracts the table from `database/<table>.<part>.jsonl`. */
function tableOf(path: string): string {
  return path.slice('database/'.length).replace(/\.\d+\.jsonl$/, '')
}

function lacks(lacking: readonly string[]): CommandError {
  return new CommandError(
    `the backup holds tables or columns that this version does not create (${lacking.join(', ')}): --by-column skips them`,
    { code: 'BACKUP_OTHER_LINEAGE' },
  )
}

function assertAll(
  loaded: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): void {
  for (const [table, count] of Object.entries(expected)) {
    if (loaded[table] === count) continue
    throw new CommandError(`of the table ${table} ${loaded[table] ?? 0} of ${count} rows came in`, {
      code: 'RESTORE_FAILED',
    })
  }
}
