import { type RawBuilder, sql } from 'kysely'

/** Maximum age of the last heartbeat of a live agent or replica in milliseconds (INT-11). */
export const heartbeatLimitMs = 15_000

/** Time of the oldest valid heartbeat, by the database's clock. */
export const heartbeatLimit = ago(heartbeatLimitMs)

/** SQL for a time `ms` ago, by the database's clock. */
export function ago(ms: number): RawBuilder<Date> {
  return sql<Date>`now() - make_interval(secs => ${ms / 1000})`
}
