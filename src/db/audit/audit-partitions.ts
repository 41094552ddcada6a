import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '../schema.ts'

/** Monthly partition of the audit. */
export interface AuditPartition {
  readonly name: string
  /** Exclusive upper bound: every row is older. */
  readonly beyond: Date
}

/**
 * Creates missing partitions for this month and the next three, and moves rows from the default partition there; returns
 * how many it created. The function runs with the owner's rights, so any role may call it. Rejects if it cannot get its
 * locks within 2 s; since it works months ahead, the call can be repeated.
 */
export async function ensureAuditPartitions(db: Db): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction)
    const { rows } = await sql<{ made: number }>`
      select ensure_audit_partitions() as made`.execute(transaction)
    return rows[0]?.made ?? 0
  })
}

/** Returns partitions whose rows are all older than `days`, oldest first. */
export async function findOldPartitions(db: Db, days: number): Promise<readonly AuditPartition[]> {
  const { rows } = await sql<AuditPartition>`
    select name, beyond from (
      select child.relname as name,
        (regexp_match(pg_get_expr(child.relpartbound, child.oid), ${sql.lit(beyondBound)}))[1]::timestamptz
          as beyond
      from pg_inherits
      join pg_class child on child.oid = inhrelid
      where inhparent = 'audit_log'::regclass
    ) months
    where beyond <= now() - make_interval(days => ${days})
    order by beyond`.execute(db)
  return rows
}

const beyondBound = String.raw`TO \('([^']+)'\)`

/**
 * True if rows from before `before` lie in the default partition, since dropping a month would then cut their chains in
 * the middle. Rows with impossible times are ignored, as by `ensure_audit_partitions`.
 */
export async function hasStrayRows(db: Db, before: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from audit_log_default where at > now() - interval '5 years' and at < ${before}
    ) as has`.execute(db)
  return rows[0]?.has === true
}

/** Returns the last row of each chain in a partition, and the number of its rows there. */
export async function findPartitionEnds(
  db: Db,
  partition: string,
): Promise<readonly { chain: string; seq: number; hash: string; rows: number }[]> {
  const { rows } = await sql<{ chain: string; seq: number; hash: string; rows: number }>`
    select distinct on (chain) chain, seq, hash, count(*) over (partition by chain) as rows
    from ${sql.table(partition)} order by chain, seq desc`.execute(db)
  return rows
}

/**
 * Blocks writes to a partition until the transaction ends. Rejects if the lock is not available within 2 s, for which
 * time other writers wait behind it.
 */
export async function freezePartition(db: Db, partition: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db)
  await sql`lock table ${sql.table(partition)} in share mode`.execute(db)
}

/** Drops a partition. Rejects if the lock is not available within 2 s, for which time audit writers wait behind it. */
export async function dropPartition(db: Db, partition: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db)
  await sql`drop table ${sql.table(partition)}`.execute(db)
}

/** True if this connection may drop partitions. */
export async function ownsAudit(db: Db): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(relowner, 'usage') as owns from pg_class
    where oid = 'audit_log'::regclass`.execute(db)
  return rows[0]?.owns === true
}

/** True if a lock was not available in time, for example behind a long read of the audit. */
export function isLockTimeout(error: unknown): boolean {
  const lockNotAvailable = '55P03'
  return error instanceof DatabaseError && error.code === lockNotAvailable
}

/**
 * Takes the retention lock until the transaction ends; false if it is held. Names are schema-qualified, because this runs
 * as the owner and must not call a function that another role created in this schema.
 */
export async function tryLockRetention(db: Db): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_catalog.pg_try_advisory_xact_lock(
      pg_catalog.hashtext('audit retention'::text)::bigint
    ) as got`.execute(db)
  return rows[0]?.got === true
}
