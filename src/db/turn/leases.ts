import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Takes or extends the named lease for `forMs` by the database's clock; false if another owner holds it. */
export async function takeLease(
  db: Db,
  name: string,
  owner: string,
  forMs: number,
): Promise<boolean> {
  const until = sql<Date>`now() + make_interval(secs => ${forMs / 1000})`
  const row = await db
    .insertInto('lease')
    .values({ name, owner, held_until: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ owner, held_until: until })
        .where((eb) =>
          eb.or([eb('lease.owner', '=', owner), eb('lease.held_until', '<', sql<Date>`now()`)]),
        ),
    )
    .returning('owner')
    .executeTakeFirst()
  return row !== undefined
}

/** Releases the lease, so that others need not wait for its expiry. */
export async function releaseLease(db: Db, name: string, owner: string): Promise<void> {
  await db.deleteFrom('lease').where('name', '=', name).where('owner', '=', owner).execute()
}

/** Deletes all leases, for a start with no other process running. */
export async function deleteAllLeases(db: Db): Promise<void> {
  await db.deleteFrom('lease').execute()
}

/** Returns the database's time as text with microseconds. */
export async function readDatabaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ moment: string }>`select now()::text as moment`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database told no time')
  return row.moment
}
