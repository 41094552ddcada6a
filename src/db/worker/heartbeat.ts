import { type RawBuilder, sql } from 'kysely'

/** Agents and replicas say every few seconds that they live; one whose last word is older than this is taken for dead (INT-11). */
export const heartbeatLimitMs = 15_000

/** The moment, by the database's clock, since which whoever lives was heard of. */
export const heartbeatLimit = ago(heartbeatLimitMs)

/** So long before now, by the database's clock. */
export function ago(ms: number): RawBuilder<Date> {
  return sql<Date>`now() - make_interval(secs => ${ms / 1000})`
}
