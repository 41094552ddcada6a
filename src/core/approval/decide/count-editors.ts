import { endEditorVote, findEditedApprovals } from '../../../db/approval/edited-calls.ts'
import { findAnswerer } from '../../people/find-answerer.ts'
import type { Transaction } from '../../transaction.ts'
import { decideLocked } from './decide.ts'

/**
 * APPR-14: whoever changed a call has said what they want: one vote for the new question, under the rule for its own risk, once
 * its card is out with whatever the box had to tell for it. Answers whether any question was answered by that.
 */
export async function countEditors(tx: Transaction, turnId: string): Promise<boolean> {
  let isAnswered = false
  for (const { edited_by, ...question } of await findEditedApprovals(tx.db, turnId)) {
    await endEditorVote(tx.db, question.call_id)
    const editor = edited_by === null ? undefined : await findAnswerer(tx.ctx, tx.db, edited_by)
    if (editor === undefined) continue
    const decision = { kind: 'approve', isAuthor: true } as const
    const decided = await decideLocked(tx, question, { by: editor, decision })
    isAnswered ||= decided.kind === 'applied'
  }
  return isAnswered
}
