import { type Kysely, sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Restore in progress. */
export interface RestoreInProgress {
  readonly backup: string
  /** Canonical path of the data directory that is replaced. */
  readonly dataDir: string
}

/** Records in the database that a restore is in progress; nothing else works on a database with this record. */
export async function recordRestore(db: Db, { backup, dataDir }: RestoreInProgress): Promise<void> {
  await sql`
    create table if not exists public.restore_unfinished (
      backup text not null,
      data_dir text not null,
      began_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    insert into public.restore_unfinished (backup, data_dir) values (${backup}, ${dataDir})`.execute(
    db,
  )
}

export async function endRestore(db: Db): Promise<void> {
  await sql`drop table if exists public.restore_unfinished`.execute(db)
}

/** True if a restore has started and not finished. */
export async function isRestoreUnfinished<T>(db: Kysely<T>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('public.restore_unfinished') is not null as there`.execute(db)
  return rows[0]?.there === true
}

/** Returns canonical data directories of unfinished restores; records of earlier versions name none. */
export async function unfinishedDirectories(db: Db): Promise<readonly string[]> {
  if (!(await isRestoreUnfinished(db))) return []
  const { rows } = await sql<{ directory: string | null }>`
    select to_jsonb(note) ->> 'data_dir' as directory from public.restore_unfinished note`.execute(
    db,
  )
  return rows.flatMap(({ directory }) => (directory === null ? [] : [directory]))
}
