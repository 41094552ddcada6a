import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Stores the team of a platform; returns the previous one if it was different. */
export async function savePlatformTeam(
  db: Db,
  platform: string,
  team: string,
): Promise<string | undefined> {
  const before = await findPlatformTeam(db, platform)
  if (before === team) return undefined
  await db
    .insertInto('platform_team')
    .values({ platform, team })
    .onConflict((conflict) =>
      conflict.column('platform').doUpdateSet({ team, since: sql<Date>`now()` }),
    )
    .execute()
  return before
}

export async function findPlatformTeam(db: Db, platform: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('platform_team')
    .select('team')
    .where('platform', '=', platform)
    .executeTakeFirst()
  return row?.team
}
