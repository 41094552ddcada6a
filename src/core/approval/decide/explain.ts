import type { ApprovalRow } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Transaction } from '../../transaction.ts'
import type { Decided } from './decided.ts'
import { describeState } from './describe-state.ts'
import { giveReason } from './give-reason.ts'
import { lockQuestion } from './lock-question.ts'

/**
 * TG-03: whoever denied a card says why, or that there is nothing to say (undefined), within the time that the card names.
 * Anybody else is told who denied it. Takes the session's lock first.
 */
export async function explain(
  tx: Transaction,
  known: ApprovalRow,
  by: Caller,
  reason: string | undefined,
): Promise<Decided> {
  const locked = await lockQuestion(tx.ctx, tx.db, known, by)
  if (locked.kind === 'refused') return locked.decided
  const { approval } = locked
  const given = approval.decided_by === by.id && (await giveReason(tx, approval, reason))
  if (!given) return { kind: 'late', text: await describeState(tx.db, approval) }
  return { kind: 'applied', text: reason === undefined ? 'Denied.' : 'Denied, with your reason.' }
}
