import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Takes or keeps the named lease for `forMs`; false: somebody else holds it. In one statement, by the database's clock. */
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

/** Gives the lease up, so that another need not wait until it runs out. */
export async function releaseLease(db: Db, name: string, owner: string): Promise<void> {
  await db.deleteFrom('lease').where('name', '=', name).where('owner', '=', owner).execute()
}

/** For a start that knows that nobody else lives. */
export async function forgetLeases(db: Db): Promise<void> {
  await db.deleteFrom('lease').execute()
}
