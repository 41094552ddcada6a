import { findApproval } from '../../db/approvals.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { type Decided, noSuchQuestion, refuseStranger } from './decide.ts'
import { describeState } from './describe-state.ts'
import { giveReason } from './give-reason.ts'

/**
 * TG-03: whoever denied a card says why, or that there is nothing to say (undefined), within the time that the card names.
 * Anybody else is told who denied it. Takes the session's lock first.
 */
export async function explain(
  kernel: Kernel,
  db: Db,
  after: Effects,
  known: ApprovalRow,
  by: Caller,
  reason: string | undefined,
): Promise<Decided> {
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval === undefined) return noSuchQuestion
  const refused = await refuseStranger(db, approval, by)
  if (refused !== undefined) return refused
  const given =
    approval.decided_by === by.id && (await giveReason(kernel, db, after, approval, reason))
  if (!given) return { kind: 'late', text: await describeState(db, approval) }
  return { kind: 'applied', text: reason === undefined ? 'Denied.' : 'Denied, with your reason.' }
}
