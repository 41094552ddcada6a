import { type Kysely, sql } from 'kysely'
import type { Db } from '../schema.ts'

/** A restore that has begun. */
export interface BegunRestore {
  readonly backup: string
  /** The real path of the data directory that it replaces. */
  readonly dataDir: string
}

/** Notes in the database that a restore into it has begun; while the note is there nothing else works on this database. */
export async function noteRestore(db: Db, { backup, dataDir }: BegunRestore): Promise<void> {
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

/** Whether a restore has begun and not ended. */
export async function isRestoreUnfinished<T>(db: Kysely<T>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('public.restore_unfinished') is not null as there`.execute(db)
  return rows[0]?.there === true
}

/** Data directories of restores that have begun and not ended, by their real paths; a note of an earlier version names none. */
export async function unfinishedDirectories(db: Db): Promise<readonly string[]> {
  if (!(await isRestoreUnfinished(db))) return []
  const { rows } = await sql<{ directory: string | null }>`
    select to_jsonb(note) ->> 'data_dir' as directory from public.restore_unfinished note`.execute(
    db,
  )
  return rows.flatMap(({ directory }) => (directory === null ? [] : [directory]))
}
