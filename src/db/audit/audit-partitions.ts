import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '../schema.ts'

/** A month of the audit. */
export interface AuditPartition {
  readonly name: string
  /** Every row of it is older. */
  readonly beyond: Date
}

/**
 * Makes the partitions of this month and the next three where they are missing, and moves rows there that had to wait in
 * the default one; answers how many it made. Any role may: the function has the owner's rights and does nothing else.
 * Rejects when a long reader keeps it from its locks for 2 s; months ahead are many tries.
 */
export async function ensureAuditPartitions(db: Db): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction)
    const { rows } = await sql<{ made: number }>`
      select ensure_audit_partitions() as made`.execute(transaction)
    return rows[0]?.made ?? 0
  })
}

/** Months whose rows are all older than so many days, the oldest first. */
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
 * Whether rows from before then wait in the default partition: their chains would be cut in the middle. Those whose time
 * cannot be true wait for no month: `ensure_audit_partitions` leaves them there as well.
 */
export async function hasStrayRows(db: Db, before: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from audit_log_default where at > now() - interval '5 years' and at < ${before}
    ) as has`.execute(db)
  return rows[0]?.has === true
}

/** The last row of each chain in a partition, by chain, and how many rows it has there. */
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
 * Keeps everybody from writing into a partition until the transaction ends. Rejects when somebody who writes keeps it from
 * its lock for 2 s: further writers wait behind it that long.
 */
export async function freezePartition(db: Db, partition: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db)
  await sql`lock table ${sql.table(partition)} in share mode`.execute(db)
}

/** Rejects when a long reader keeps it from its lock for 2 s: who writes the audit waits behind it that long. */
export async function dropPartition(db: Db, partition: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db)
  await sql`drop table ${sql.table(partition)}`.execute(db)
}

/** Whether this connection may drop partitions. */
export async function ownsAudit(db: Db): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select pg_has_role(relowner, 'usage') as owns from pg_class
    where oid = 'audit_log'::regclass`.execute(db)
  return rows[0]?.owns === true
}

/** A lock was not to be had in time: somebody reads the audit for long. */
export function isLockTimeout(error: unknown): boolean {
  const lockNotAvailable = '55P03'
  return error instanceof DatabaseError && error.code === lockNotAvailable
}

/**
 * False: somebody else has it. Until the transaction ends. Named in full, as whatever the owner runs: what another role made in
 * this schema could else be run in its place.
 */
export async function tryLockRetention(db: Db): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_catalog.pg_try_advisory_xact_lock(
      pg_catalog.hashtext('audit retention'::text)::bigint
    ) as got`.execute(db)
  return rows[0]?.got === true
}
