import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'

const now = sql<Date>`now()`
const anHourAgo = sql<Date>`now() - interval '1 hour'`
const aDayAgo = sql<Date>`now() - interval '1 day'`

/** Whether a stranger may be told something now: once a day, and so many strangers an hour. Then it counts as told. */
export async function takeTelling(db: Db, callerId: string, perHour: number): Promise<boolean> {
  // Most that come are told nothing, and wait for nobody.
  if (!(await mayBeTold(db, callerId, perHour))) return false
  await lockByName(db, 'strangers')
  if (!(await mayBeTold(db, callerId, perHour))) return false
  await db.deleteFrom('stranger').where('told_at', '<=', aDayAgo).execute()
  await db.insertInto('stranger').values({ caller_id: callerId, told_at: now }).execute()
  return true
}

async function mayBeTold(db: Db, callerId: string, perHour: number): Promise<boolean> {
  const { lately, told } = await db
    .selectFrom('stranger')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('told_at', '>', anHourAgo).as('lately'),
      eb.fn.countAll<number>().filterWhere('caller_id', '=', callerId).as('told'),
    ])
    .where('told_at', '>', aDayAgo)
    .executeTakeFirstOrThrow()
  return told === 0 && lately < perHour
}
