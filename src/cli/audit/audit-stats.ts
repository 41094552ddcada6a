import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import {
  type ApprovalCounts,
  type ApprovedCall,
  type CallerDenials,
  countApprovals,
  denialsByCaller,
  denialsByRule,
  mostApproved,
  type RuleDenials,
} from '../../db/approval/approval-numbers.ts'
import { inSnapshot } from '../../db/database.ts'

/** APPR-22: approval statistics that an operator can act on. */
export interface AuditStats extends ApprovalCounts {
  readonly since: string
  readonly denials_by_rule: readonly RuleDenials[]
  readonly denials_by_caller: readonly CallerDenials[]
  readonly most_approved: readonly ApprovedCall[]
}

const longestList = 10

/** Reads statistics since a time from one snapshot. The read-only audit role is sufficient. */
export async function auditStats(
  input: CommandInput & { readonly since: Date; readonly signal: AbortSignal },
): Promise<AuditStats> {
  const { since } = input
  return await withDatabase(input, ({ db }) =>
    inSnapshot(db, async (trx) => ({
      since: since.toISOString(),
      ...(await countApprovals(trx, since)),
      denials_by_rule: await denialsByRule(trx, since, longestList),
      denials_by_caller: await denialsByCaller(trx, since, longestList),
      most_approved: await mostApproved(trx, since, longestList),
    })),
  )
}
