import {
  findLastVerification,
  insertVerification,
  isVerificationDue,
} from '../../db/audit/audit-verifications.ts'
import { inSnapshot } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import type { Db } from '../../db/schema.ts'
import type { CheckSignature } from './signed-text.ts'
import { type AuditReport, verifyChains } from './verify-chains.ts'

export interface ScheduledVerification {
  readonly report: AuditReport
  /** Whether the verification before it found other things, or none has run. */
  readonly isNew: boolean
}

/** Findings that are stored of one verification. */
const storedFindings = 20

/**
 * Verifies the audit where the last verification is older than `everyMs`, and stores the result (AUD-02). One process at a
 * time; undefined: another one does it, or it is not due.
 */
export async function verifyWhenDue(
  db: Db,
  check: CheckSignature,
  everyMs: number,
): Promise<ScheduledVerification | undefined> {
  if (!(await isVerificationDue(db, everyMs))) return undefined
  return db.transaction().execute(async (locked) => {
    if (!(await tryLock(locked, 'verify the audit'))) return undefined
    if (!(await isVerificationDue(locked, everyMs))) return undefined
    // On a connection of its own: rows that are added meanwhile are no gap.
    const report = await inSnapshot(db, (view) => verifyChains(view, check))
    const findings = JSON.stringify(report.broken.slice(0, storedFindings))
    const last = await findLastVerification(locked)
    const { rows, chains, broken } = report
    await insertVerification(locked, { rows, chains, broken: broken.length, findings })
    return { report, isNew: last?.findings !== findings }
  })
}
