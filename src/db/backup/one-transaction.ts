import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPoolClient,
  PostgresQueryCompiler,
} from 'kysely'
import type { Pool } from 'pg'

/**
 * Runs `work` in one transaction. Transactions opened on the given `db` become savepoints whatever isolation level they
 * ask for, so `work` must not run them concurrently. Server timeouts are disabled, since rows may wait for files.
 */
export async function inOneTransaction<T, R>(
  pool: Pool,
  work: (db: Kysely<T>) => Promise<R>,
): Promise<R> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query('begin')
    await client.query(withoutTimeouts)
    const lent: PostgresPoolClient = {
      query: client.query.bind(client),
      release: () => undefined,
    }
    const connect = async () => lent
    const driver = new NestingDriver({ pool: { connect, end: async () => undefined, options: {} } })
    const db = new Kysely<T>({
      dialect: {
        createDriver: () => driver,
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (of) => new PostgresIntrospector(of),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    })
    const result = await work(db)
    const { command } = await client.query('commit')
    // PostgreSQL answers a commit with ROLLBACK if a statement failed before.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** Disables the timeouts that this server knows; `transaction_timeout` exists since PostgreSQL 17. */
const withoutTimeouts = `
  select pg_catalog.set_config(name, '0', true) from pg_catalog.pg_settings
  where name in ('idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout', 'transaction_timeout')`

/** Driver that maps nested transactions to savepoints. Savepoints of the same name nest. */
class NestingDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('savepoint nested'))
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('release savepoint nested'))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback to savepoint nested'))
    await connection.executeQuery(CompiledQuery.raw('release savepoint nested'))
  }
}
