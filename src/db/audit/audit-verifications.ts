import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** The result of one scheduled verification of the audit. */
export interface AuditVerificationRow {
  readonly at: Date
  readonly rows: number
  readonly chains: number
  /** Chains and checkpoints that are broken. */
  readonly broken: number
  /** JSON: the first of them, `[{chain, seq, why}]`. */
  readonly findings: string
}

/** The newest verification; undefined where none has run. */
export function findLastVerification(db: Db): Promise<AuditVerificationRow | undefined> {
  return db
    .selectFrom('audit_verification')
    .select(['at', 'rows', 'chains', 'broken', 'findings'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Whether the newest verification is older than `everyMs`, or none has run. */
export async function isVerificationDue(db: Db, everyMs: number): Promise<boolean> {
  const recent = await db
    .selectFrom('audit_verification')
    .select('id')
    .where('at', '>', sql<Date>`clock_timestamp() - make_interval(secs => ${everyMs / 1000})`)
    .limit(1)
    .executeTakeFirst()
  return recent === undefined
}

/** Stores a result; those over a year old are removed. */
export async function insertVerification(
  db: Db,
  result: Omit<AuditVerificationRow, 'at'>,
): Promise<void> {
  await db
    .with('old', (query) =>
      query.deleteFrom('audit_verification').where('at', '<', sql<Date>`now() - interval '1 year'`),
    )
    .insertInto('audit_verification')
    .values({ ...result, at: sql`clock_timestamp()` })
    .execute()
}
