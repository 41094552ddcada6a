import { DatabaseError, type Pool } from 'pg'
import { CommandError } from '../../domain/command-error.ts'

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
    throw isTaken(error) ? new CommandError(taken, { cause: error }) : error
  }
  return {
    [Symbol.asyncDispose]: async () => {
      // A broken connection has already lost the lock.
      await client.query(`select pg_catalog.pg_advisory_unlock(${key})`).catch(() => undefined)
      client.release(true)
    },
  }
}

const key = `pg_catalog.hashtextextended('countersign restore', 0::bigint)`

/** Disables idle_session_timeout for this session, on servers that have it. */
const noLimitWhileIdle = `
  select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings
  where name = 'idle_session_timeout'`

function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}

const taken = 'another restore into this database is under way: wait for it. Nothing was changed.'
