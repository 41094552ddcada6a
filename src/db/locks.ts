import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Named in full: what another role made in a schema of ours could else be run in its place. */
const key = (name: string) => sql`pg_catalog.hashtextextended(${name}::text, 0::bigint)`

/** Whether this transaction has the named advisory lock; never waits, ends with the transaction. */
export async function tryLock(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_catalog.pg_try_advisory_xact_lock(${key(name)}) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** Waits for the named advisory lock; it is given back when the transaction ends. */
export async function lockByName(db: Db, name: string): Promise<void> {
  await sql`select pg_catalog.pg_advisory_xact_lock(${key(name)})`.execute(db)
}
