import { sql } from 'kysely'
import { findLastVerification } from '../../db/audit/audit-verifications.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const what = 'audit chain'
const see = 'see whether an agent runs, and what its log says'
const notYet = ok(what, 'has not been verified yet; an agent does it')
const never = warn(what, 'was never verified, though rows are older than [audit] verify_every', see)
/** Allowed multiple of the interval: a verification takes time, and an agent may have just started. */
const lateAfter = 2

/** AUD-02: reports the result and age of the last scheduled verification of the audit. */
export async function checkVerification(db: Db, everyMs: number): Promise<Finding> {
  if (everyMs === 0) return warn(what, 'is not verified on a schedule', 'set [audit] verify_every')
  const last = await findLastVerification(db)
  if (last === undefined) return (await hasOlderRow(db, everyMs)) ? never : notYet
  const when = `${last.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (last.broken > 0) {
    const found = `did not verify: ${last.broken} findings at ${when}`
    return fail(
      what,
      found,
      'countersign audit verify names them; docs/how-to/read-the-audit.md says what to do',
    )
  }
  const { rows } = await sql<{ late: boolean }>`
    select ${last.at} < now() - make_interval(secs => ${(everyMs / 1000) * lateAfter}) as late`.execute(
    db,
  )
  const text = `${last.rows} rows in ${last.chains} chains verified at ${when}`
  if (rows[0]?.late !== true) return ok(what, text)
  return warn(what, `${text}, which is late`, see)
}

async function hasOlderRow(db: Db, ms: number): Promise<boolean> {
  const row = await db
    .selectFrom('audit_log')
    .select('seq')
    .where('at', '<', sql<Date>`now() - make_interval(secs => ${ms / 1000})`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
