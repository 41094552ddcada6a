import { type Kysely, sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Notes in the database that a restore into it has begun; while the note is there nothing else works on this database. */
export async function noteRestore(db: Db, backup: string): Promise<void> {
  await sql`
    create table if not exists public.restore_unfinished (
      backup text not null,
      began_at timestamptz not null default now()
    )`.execute(db)
  await sql`insert into public.restore_unfinished (backup) values (${backup})`.execute(db)
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
