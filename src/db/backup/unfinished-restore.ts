import { type Kysely, sql } from 'kysely'
import { DatabaseError, type Pool } from 'pg'
import { CommandError } from '../../domain/command-error.ts'
import type { Db } from '../schema.ts'

const key = `pg_catalog.hashtextextended('countersign restore', 0::bigint)`

/** Disables idle_session_timeout for this session, on servers that have it. */
const noLimitWhileIdle = `
  select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings
  where name = 'idle_session_timeout'`

const taken = 'another restore into this database is under way: wait for it. Nothing was changed.'

/** Restore in progress. */
interface RestoreInProgress {
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

/**
 * Locks the database against other restores until disposed. Throws CommandError if another restore holds the lock for 3
 * s; it waits that long because the server may not have noticed that a killed restore has gone.
 */
export async function holdRestores(pool: Pool): Promise<AsyncDisposable> {
  const client = await pool.connect()
  try {
    await client.query(noLimitWhileIdle)
    await client.query(`set lock_timeout = '3s'`)
    await client.query(`select pg_catalog.pg_advisory_lock(${key})`)
  } catch (error) {
    client.release(true)
    throw isTaken(error)
      ? new CommandError(taken, { code: 'DATABASE_IN_USE', cause: error })
      : error
  }
  return {
    [Symbol.asyncDispose]: async () => {
      // A broken connection has already lost the lock.
      await client.query(`select pg_catalog.pg_advisory_unlock(${key})`).catch(() => undefined)
      client.release(true)
    },
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}
