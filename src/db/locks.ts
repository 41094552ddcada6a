import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Schema-qualified, since another role could have created a function of the same name in our schema. */
const key = (name: string) => sql`pg_catalog.hashtextextended(${name}::text, 0::bigint)`

/** Tries to take the named advisory lock for this transaction, without waiting. */
export async function tryLock(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_catalog.pg_try_advisory_xact_lock(${key(name)}) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** Waits for the named advisory lock, which is released when the transaction ends. */
export async function lockByName(db: Db, name: string): Promise<void> {
  await sql`select pg_catalog.pg_advisory_xact_lock(${key(name)})`.execute(db)
}
