import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { GrantEnd } from '../../domain/grant-life.ts'
import type { Transaction } from '../transaction.ts'
import { updateCard } from './cards.ts'

/** Shows how a call ended on its card, if it has one (APPR-05). */
export async function showCallEnd(tx: Transaction, call: ToolCallRow): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, call.id)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  await updateCard(tx, approval, {
    kind: 'finished',
    ...(await deciderOf(tx.db, approval)),
    outcome: describeEnd(call),
    isSuccess: isSuccess(call),
    durationMs: call.duration_ms ?? 0,
  })
}

/** Describes how a call ended, briefly enough for a card. */
export function describeEnd(call: ToolCallRow): string {
  if (call.state === 'succeeded') return call.envelope === null ? 'done' : `exit ${call.exit_code}`
  if (call.state === 'failed') return `failed (${call.error_category})`
  return call.state
}

/** A command with a non-zero exit code ran but did not succeed. */
function isSuccess({ state, envelope, exit_code }: ToolCallRow): boolean {
  return state === 'succeeded' && (envelope === null || exit_code === 0)
}

/** Returns who decided an approval and when, for its card; `life`: when the grant ends. */
export async function deciderOf(
  db: Db,
  approval: Pick<ApprovalRow, 'decided_by' | 'decided_at' | 'life'>,
): Promise<{ readonly by: string; readonly at: string; readonly life?: GrantEnd }> {
  const { decided_by, decided_at, life } = approval
  const by = decided_by === null ? 'a rule' : await nameOf(db, decided_by)
  return {
    by,
    at: (decided_at ?? new Date()).toISOString(),
    ...(life === null || life === 'always' ? {} : { life }),
  }
}
