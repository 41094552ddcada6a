import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Result of one scheduled verification of the audit. */
interface AuditVerificationRow {
  readonly at: Date
  readonly rows: number
  readonly chains: number
  /** Number of broken chains and checkpoints. */
  readonly broken: number
  /** JSON of the first findings: `[{chain, seq, why}]`. */
  readonly findings: string
}

/** Returns the newest verification; undefined if none has run. */
export function findLastVerification(db: Db): Promise<AuditVerificationRow | undefined> {
  return db
    .selectFrom('audit_verification')
    .select(['at', 'rows', 'chains', 'broken', 'findings'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** True if the newest verification is older than `everyMs`, or none has run. */
export async function isVerificationDue(db: Db, everyMs: number): Promise<boolean> {
  const recent = await db
    .selectFrom('audit_verification')
    .select('id')
    .where('at', '>', sql<Date>`clock_timestamp() - make_interval(secs => ${everyMs / 1000})`)
    .limit(1)
    .executeTakeFirst()
  return recent === undefined
}

/** Stores a result and deletes results older than a year. */
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

/** Stores the signed record of deleted rows. */
export async function insertCut(
  db: Db,
  cut: { at: Date; body: string; kid: string; signature: string },
): Promise<void> {
  await db.insertInto('audit_cut').values(cut).execute()
}

/** Returns signed cuts after an id, oldest first. Each may name every chain of a month, so they are read in pages. */
export function findCuts(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('audit_cut')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}
