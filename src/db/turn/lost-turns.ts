import { type RawBuilder, sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'
import { ago } from '../worker/heartbeat.ts'

const now = sql<Date>`now()`
const live = literals(liveTurnStates)

/**
 * Returns turns left behind by a crash: with an expired lease, or long due without a job. Their epoch rises, so that the
 * next job has a new id even if the queue still holds the old one (rule 3).
 */
export async function takeLostTurns(db: Db, dueForMs: number): Promise<TurnRow[]> {
  return takeFromHolders(db, now)
    .where((eb) =>
      eb.or([
        eb('lease_until', '<', now),
        eb.and([eb('lease_until', 'is', null), eb('next_due', '<', ago(dueForMs))]),
        eb.and([
          eb('lease_until', 'is', null),
          eb('next_due', 'is', null),
          eb('state', 'in', literals(['queued', 'thinking'])),
        ]),
      ]),
    )
    .returningAll()
    .execute()
}

/**
 * Returns acting turns that nothing would wake: without lease and due time, and with all calls settled. Reads all turns that
 * wait, so call it rarely.
 */
export function takeStrandedTurns(db: Db): Promise<TurnRow[]> {
  return takeFromHolders(db, now)
    .where('state', '=', sql.lit('acting'))
    .where('lease_until', 'is', null)
    .where('next_due', 'is', null)
    .where(
      sql<boolean>`not exists (
        select from tool_call where turn_id = turn.id and settled_at is null)`,
    )
    .returningAll()
    .execute()
}

/** Expires all leases and makes all live turns due, for a start with no other process running (DECISIONS 8). */
export async function expireAllLeases(db: Db): Promise<void> {
  // A time long ago, so that the first sweep finds them.
  await takeFromHolders(db, sql<Date>`to_timestamp(0)`).execute()
}

/** Clears the leases of live turns, counts the lost holders, and makes the turns due. */
function takeFromHolders(db: Db, due: RawBuilder<Date>) {
  return db
    .updateTable('turn')
    .set((eb) => ({
      epoch: eb('epoch', '+', 1),
      crashes: sql<number>`crashes + (lease_until is not null)::int`,
      lease_owner: null,
      lease_until: null,
      next_due: due,
    }))
    .where('state', 'in', live)
}
