import { DatabaseError, type Pool } from 'pg'
import { CommandError } from '../../domain/command-error.ts'

/**
 * Keeps other restores out of this database until it is disposed of, whatever data directories they replace. Throws a CommandError
 * where another one has it; waits a moment, since the server may not have noticed yet that the last one was killed.
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
      // A connection that broke has lost the lock already.
      await client.query(`select pg_catalog.pg_advisory_unlock(${key})`).catch(() => undefined)
      client.release(true)
    },
  }
}

const key = `pg_catalog.hashtextextended('countersign restore', 0::bigint)`

/** Does nothing on a server that has no such limit. */
const noLimitWhileIdle = `
  select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings
  where name = 'idle_session_timeout'`

function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}

const taken = 'another restore into this database is under way: wait for it. Nothing was changed.'
