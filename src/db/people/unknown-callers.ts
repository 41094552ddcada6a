import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'

const now = sql<Date>`now()`
const anHourAgo = sql<Date>`now() - interval '1 hour'`
const aDayAgo = sql<Date>`now() - interval '1 day'`

/**
 * Decides whether an unknown caller may be sent a reply now, and records it: once a day for each, and `perHour` callers
 * an hour.
 */
export async function takeUnknownCallerReply(
  db: Db,
  callerId: string,
  perHour: number,
): Promise<boolean> {
  // Check without the lock first, since most get no reply.
  if (!(await mayReply(db, callerId, perHour))) return false
  await lockByName(db, 'strangers')
  if (!(await mayReply(db, callerId, perHour))) return false
  await db.deleteFrom('stranger').where('told_at', '<=', aDayAgo).execute()
  await db.insertInto('stranger').values({ caller_id: callerId, told_at: now }).execute()
  return true
}

async function mayReply(db: Db, callerId: string, perHour: number): Promise<boolean> {
  const { lately, told: replied } = await db
    .selectFrom('stranger')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('told_at', '>', anHourAgo).as('lately'),
      eb.fn.countAll<number>().filterWhere('caller_id', '=', callerId).as('told'),
    ])
    .where('told_at', '>', aDayAgo)
    .executeTakeFirstOrThrow()
  return replied === 0 && lately < perHour
}
