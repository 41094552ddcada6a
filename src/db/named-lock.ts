import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Waits for the named advisory lock; it is given back when the transaction ends. */
export async function lockByName(db: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}
